/**
 * The page in a real Chromium, on `serve` as a user starts it: the first view, the time until a long table is live, the
 * longest frame while it scrolls, and the memory of views before and after an hour of changes, a hundred a second,
 * which are made as fast as the server takes them.
 *
 * `BENCH_SIZES=1000` and `BENCH_CHANGES=3600` shorten a run.
 */
import { Chromium, chromiumProgram, type Page } from '../client/browser/chromium.js';
import { median, type Measure } from './measure.js';
import { startProgram, type Served } from './served-program.js';

const SIZES = (process.env['BENCH_SIZES'] ?? '10000,30000').split(',').map(Number);
const CHANGES = Number(process.env['BENCH_CHANGES'] ?? 360_000);
const ROUNDS = 5;
const AT_ONCE = 16;
const COLLECTION = '/api/v1/namespaces/default/configmaps';
const KB = 1024;
const MB = 1024 * KB;

/** The eyes and hands of the programs in the page. */
const HANDS = `
  const until = async (check) => {
    for (;;) {
      const value = check();
      if (value) return value;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const find = (selector, text = '') =>
    [...document.querySelectorAll(selector)].find((element) => element.textContent.includes(text));
  const go = (path) => {
    history.pushState(null, '', '/ui/' + path);
    dispatchEvent(new PopStateEvent('popstate'));
  };
  const kept = (type) =>
    new Promise((resolve) => {
      const found = [];
      const observer = new PerformanceObserver((list) => found.push(...list.getEntries()));
      observer.observe({ type, buffered: true });
      setTimeout(() => resolve([...found, ...observer.takeRecords()]), 200);
    });`;

const SIGN_IN = `
  const input = await until(() => find('input[type=password]'));
  input.value = 'admin';
  input.dispatchEvent(new Event('input', { bubbles: true }));
  await new Promise((resolve) => setTimeout(resolve));
  find('button[type=submit]').click();
  await until(() => find('header'));`;

/** The page of a server, in a browser. */
export async function page(): Promise<Measure[]> {
  if (chromiumProgram === undefined) {
    console.warn('page: Chromium is not installed');
    return [];
  }
  const served = await startProgram((directory) => ['--ui', `--data-dir=${directory}/data`]);
  try {
    const first = await firstView(served, chromiumProgram);
    const browser = await Chromium.start(chromiumProgram);
    try {
      return [...first, ...(await tables(served, browser)), ...(await memory(served, browser))];
    } finally {
      await browser.close();
    }
  } finally {
    served.stop();
  }
}

const run = (tab: Page, program: string): Promise<unknown> => tab(HANDS + program);

const open = (served: Served, browser: Chromium): Promise<Page> =>
  browser.open(`http://127.0.0.1:${served.http.port}/ui/`);

/** Opens the page in browsers that have never seen it. */
async function firstView(served: Served, program: string): Promise<Measure[]> {
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const browser = await Chromium.start(program);
    try {
      rounds.push(numbersOf(await run(await open(served, browser), FIRST_VIEW)));
    } finally {
      await browser.close();
    }
  }
  const at = (index: number): number => median(rounds.map((round) => round[index] ?? NaN));
  const most = (value: number): Measure['target'] => ({ sense: '<=', value });
  return [
    { name: 'page: bytes of the first view', value: at(0) / KB, unit: 'KB', target: most(90) },
    { name: 'page: first contentful paint', value: at(1), unit: 'ms', target: most(250) },
    { name: 'page: largest contentful paint', value: at(2), unit: 'ms', target: most(500) },
    { name: 'page: total blocking time', value: at(3), unit: 'ms', target: most(50) },
    { name: 'page: cumulative layout shift', value: at(4), unit: '', target: most(0.1) },
    { name: 'page: from signing in to the counts of kinds', value: at(5), unit: 'ms', target: most(500) },
  ];
}

const FIRST_VIEW = `
  await until(() => find('input[type=password]'));
  const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? (await kept('paint')).at(-1)?.startTime;
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const bytes = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter(({ name }) => !name.includes('/v1/'));
  const largest = (await kept('largest-contentful-paint')).at(-1)?.startTime;
  const blocking = sum((await kept('longtask')).map(({ duration }) => duration - 50));
  const begun = performance.now();
  ${SIGN_IN}
  await until(() => [...document.querySelectorAll('.groups li')].some((li) => /\\d/.test(li.lastChild.textContent)));
  const usable = performance.now() - begun;
  const shift = sum((await kept('layout-shift')).filter((each) => !each.hadRecentInput).map(({ value }) => value));
  return [sum(bytes.map(({ encodedBodySize }) => encodedBodySize)), paint, largest, blocking, shift, usable];`;

/** Opens tables that grow from size to size, and scrolls each. */
async function tables(served: Served, browser: Chromium): Promise<Measure[]> {
  const measures: Measure[] = [];
  let made = 0;
  for (const size of SIZES) {
    await inTurn(size - made, (index) => create(served, made + index));
    made = size;
    const tab = await open(served, browser);
    await run(tab, SIGN_IN);
    const rounds: number[][] = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(numbersOf(await run(tab, tableOf(size))));
    const [first, all] = [0, 1].map((at) => median(rounds.map((round) => round[at] ?? NaN)));
    const before = await tab.memory();
    const [frame = NaN, task = NaN] = numbersOf(await run(tab, SCROLL));
    const { heapBytes, scriptMs, layoutMs } = await tab.memory();
    const [script, layout] = [scriptMs - before.scriptMs, layoutMs - before.layoutMs];
    const target = { sense: '<=', value: size > 10_000 ? 2500 : 900 } as const;
    const name = `page: ${size.toLocaleString('en')} objects`;
    measures.push(
      { name: `${name}, first rows`, value: first ?? NaN, unit: 'ms', target: { sense: '<=', value: 350 } },
      { name: `${name}, all rows and live`, value: all ?? NaN, unit: 'ms', target },
      {
        ...{ name: `${name}, longest task while scrolling`, value: task, unit: 'ms' },
        target: { sense: '<=', value: 50 },
        detail: `0 means less than 50; longest time between two frames ${frame.toFixed(0)} ms; 200 steps take ${script.toFixed(0)} ms of scripts, ${layout.toFixed(0)} ms of layout`,
      },
      { name: `${name}, heap of the page`, value: heapBytes / MB, unit: 'MB', target: { sense: '<=', value: 80 } },
    );
    await run(tab, `setTimeout(() => location.replace('about:blank'));`);
  }
  return measures;
}

/** Opens a table from the list of kinds. @param size rows that it has at the end */
const tableOf = (size: number): string => `
  go('');
  await until(() => find('.groups a'));
  const begun = performance.now();
  go('r/core/v1/configmaps?ns=default&sort=name');
  await until(() => find('.body .row'));
  const first = performance.now() - begun;
  await until(() => Number(document.querySelector('.grid').ariaRowCount) > ${size} && find('[role=status]', '● live'));
  return [first, performance.now() - begun];`;

const SCROLL = `
  const grid = document.querySelector('.grid');
  const tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
  observer.observe({ type: 'longtask' });
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let [longest, before] = [0, await frame()];
  for (let step = 0; step <= 200; step += 1) {
    grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * (step / 200);
    const now = await frame();
    longest = Math.max(longest, now - before);
    before = now;
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  return [longest, Math.max(0, ...tasks, ...observer.takeRecords().map(({ duration }) => duration))];`;

/** The views whose memory is measured, and what each shows once it has seen the last change. */
const VIEWS = [
  ['table', 'r/core/v1/configmaps?ns=default&sort=name'],
  ['object', 'r/core/v1/configmaps/default/row-00000'],
  ['kinds', ''],
  ['traffic', 'traffic'],
] as const;

/** Measures what views hold, before and after an hour of changes. */
async function memory(served: Served, browser: Chromium): Promise<Measure[]> {
  const views: { readonly name: string; readonly tab: Page }[] = [];
  for (const [name, path] of VIEWS) {
    const tab = await open(served, browser);
    await run(tab, `${SIGN_IN} go(${JSON.stringify(path)}); await until(() => find('h1') ?? find('.groups a'));`);
    views.push({ name, tab });
  }
  const held = () => Promise.all(views.map(({ tab }) => tab.memory()));
  const objects = Math.max(...SIZES);
  let changed = 0;
  const change = async (count: number): Promise<void> => {
    await inTurn(count, (index) => patch(served, index % objects, changed + index));
    changed += count;
    await seen(served, views[1]?.tab, changed);
  };
  // After the first changes, the lists that views keep, such as that of a thousand requests, are full.
  await change(Math.ceil(CHANGES / 10));
  const before = await held();
  await change(CHANGES);
  const after = await held();
  return views.map(({ name }, at) => {
    const [first, last] = [before[at], after[at]];
    const growth = ((last?.heapBytes ?? NaN) - (first?.heapBytes ?? NaN)) / MB;
    const counts = `nodes ${first?.nodes} → ${last?.nodes}, listeners ${first?.listeners} → ${last?.listeners}`;
    return {
      name: `page: growth of the heap by ${CHANGES.toLocaleString('en')} changes, ${name}`,
      ...{ value: growth, unit: 'MB', target: { sense: '<=', value: 2 } as const },
      detail: `${((first?.heapBytes ?? NaN) / MB).toFixed(1)} → ${((last?.heapBytes ?? NaN) / MB).toFixed(1)} MB, ${counts}`,
    };
  });
}

/** Waits until the view of an object shows its last change, which comes after all others. */
async function seen(served: Served, tab: Page | undefined, mark: number): Promise<void> {
  await patch(served, 0, mark, 'last');
  await tab?.(`${HANDS} await until(() => find('.line', 'last: "${mark}"'));`);
}

const nameOf = (index: number): string => `row-${String(index).padStart(5, '0')}`;

const create = (served: Served, index: number): Promise<string> =>
  served.ask({
    method: 'POST',
    path: COLLECTION,
    body: { metadata: { name: nameOf(index), labels: { many: 'yes' } } },
  });

const patch = (served: Served, index: number, mark: number, key = 'value'): Promise<string> =>
  served.ask({
    ...{ method: 'PATCH', path: `${COLLECTION}/${nameOf(index)}`, contentType: 'application/merge-patch+json' },
    body: { data: { [key]: String(mark) } },
  });

/** Does something a number of times, a few at once. */
async function inTurn(count: number, action: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await action(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const numbersOf = (values: unknown): number[] => (Array.isArray(values) ? values.map(Number) : []);
