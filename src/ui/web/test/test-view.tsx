import { useEffect, useState } from 'preact/hooks';
import { wordsOf, type Api } from '../data/api.js';
import {
  addFork,
  addRule,
  advanceClock,
  readClock,
  readForks,
  readJournal,
  readRules,
  removeFork,
  removeRule,
  reset,
  type RulePath,
  type SavedTest,
  type TestClock,
  type TestFork,
  type TestRequest,
  type TestRule,
} from '../data/test-commands.js';
import { Failure } from '../parts/failure.js';
import { PlainTable } from '../parts/plain-table.js';
import { useRepeated } from '../parts/use-repeated.js';
import { api } from '../state.js';

/** How often the state is read again, in milliseconds. */
const READ_MS = 2000;
/** The most requests of the journal that are shown. */
const MOST = 100;

/** The state of a test server. Parts that it does not have are undefined. */
interface TestState {
  readonly clock: TestClock | undefined;
  readonly faults: readonly TestRule[] | undefined;
  readonly rules: readonly TestRule[] | undefined;
  readonly forks: readonly TestFork[] | undefined;
  readonly journal: readonly TestRequest[] | undefined;
}

const NOTHING: TestState = {
  ...{ clock: undefined, faults: undefined, rules: undefined, forks: undefined, journal: undefined },
};

/** The controls of a test server: its time, forks and faults, simulated nodes and pods, and the journal of the run. */
export function TestView() {
  const { state, failure, run } = useTestState();
  const { clock, faults, rules, forks, journal } = state;
  return (
    <main>
      <h1>{clock?.saved === undefined ? 'Test server' : 'Saved state'}</h1>
      {failure !== undefined && <Failure text={failure} />}
      {clock?.saved !== undefined && <FailedTest test={clock.saved} />}
      {clock !== undefined && <ClockTools clock={clock} run={run} />}
      {clock !== undefined && clock.saved === undefined && (
        <div class="tools">
          <button type="button" onClick={() => run(() => called(reset))}>
            Reset
          </button>
          <span class="muted">goes back to the state in which the server started, without the rules below</span>
        </div>
      )}
      {rules !== undefined && (
        <Rules
          title="Simulated nodes and pods"
          path="simulation/rules"
          rules={rules}
          example='{"nodes": "node-1", "become": "NotReady"}'
          run={run}
        />
      )}
      {faults !== undefined && (
        <Rules
          title="Faults"
          path="faults"
          rules={faults}
          example='{"fault": "fail", "match": {"verb": "update"}, "status": 500}'
          run={run}
        />
      )}
      {forks !== undefined && <Forks forks={forks} run={run} />}
      {journal !== undefined && <Journal requests={journal} />}
    </main>
  );
}

/** The test that failed in the state that is shown, and why. */
function FailedTest({ test: { name, file, error, savedAt, leftOut } }: { readonly test: SavedTest }) {
  return (
    <section aria-label="Failed test">
      <h2>
        <span class="bad">✕</span> {name === '' ? 'A test' : name}
      </h2>
      <p class="muted">
        {file === '' ? '' : `${file} · `}saved at {savedAt}
        {leftOut.length === 0 ? '' : ` · left out: ${leftOut.join(', ')}`}
      </p>
      {error !== '' && (
        <pre class="message" tabIndex={0} aria-label="Error of the test">
          {error}
        </pre>
      )}
    </section>
  );
}

/** Runs a command, shows why it failed, and reads the state again. */
type Run = (command: () => Promise<unknown>) => void;

const called = <Result,>(command: (opened: NonNullable<typeof api.value>) => Promise<Result>): Promise<Result> =>
  api.value === undefined ? Promise.reject(new Error('nobody is signed in')) : command(api.value);

function ClockTools({ clock, run }: { readonly clock: TestClock; readonly run: Run }) {
  const [duration, setDuration] = useState('1m');
  const advance = (event: Event): void => {
    event.preventDefault();
    run(() => called((opened) => advanceClock(opened, duration)));
  };
  return (
    <form class="tools" onSubmit={advance}>
      <span role="status">
        {clock.now} <span class="muted">{clock.time === 'manual' ? 'stands still' : 'runs'}</span>
      </span>
      {clock.saved === undefined && (
        <>
          <label>
            Advance by{' '}
            <input
              name="duration"
              value={duration}
              onInput={(event) => setDuration(event.currentTarget.value.trim())}
            />
          </label>
          <button type="submit">Advance</button>
        </>
      )}
    </form>
  );
}

function Rules({
  title,
  path,
  rules,
  example,
  run,
}: {
  readonly title: string;
  readonly path: RulePath;
  readonly rules: readonly TestRule[];
  readonly example: string;
  readonly run: Run;
}) {
  const [text, setText] = useState(example);
  const add = (event: Event): void => {
    event.preventDefault();
    run(async () => {
      const rule: unknown = JSON.parse(text);
      if (typeof rule !== 'object' || rule === null) throw new Error('a rule is a JSON object');
      await called((opened) => addRule(opened, path, rule));
    });
  };
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <form class="tools" onSubmit={add}>
        <label>
          Rule <input class="wide" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button type="submit">Add</button>
      </form>
      {rules.length > 0 && (
        <PlainTable titles={['Rule', 'Hits', 'Action']}>
          {rules.map(({ id, hits, text: rule }) => (
            <tr key={id}>
              <td>
                <code>{rule}</code>
              </td>
              <td>{hits}</td>
              <td>
                <button
                  type="button"
                  aria-label={`Remove ${rule}`}
                  onClick={() => run(() => called((opened) => removeRule(opened, path, id)))}
                >
                  Remove
                </button>
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
    </section>
  );
}

function Forks({ forks, run }: { readonly forks: readonly TestFork[]; readonly run: Run }) {
  return (
    <section aria-label="Forks">
      <h2>Forks</h2>
      <div class="tools">
        <button type="button" onClick={() => run(() => called(addFork))}>
          Fork
        </button>
        <span class="muted">makes an independent server with the same state, with a page of its own</span>
      </div>
      {forks.length > 0 && (
        <PlainTable titles={['Fork', 'Page', 'Action']}>
          {forks.map(({ id, url }) => (
            <tr key={id}>
              <td>{id}</td>
              <td>{url}/ui/</td>
              <td>
                <button
                  type="button"
                  aria-label={`Delete fork ${id}`}
                  onClick={() => run(() => called((opened) => removeFork(opened, id)))}
                >
                  Delete
                </button>
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
    </section>
  );
}

function Journal({ requests }: { readonly requests: readonly TestRequest[] }) {
  return (
    <section aria-label="Journal">
      <h2>
        Journal <span class="muted">{requests.length > MOST ? `the newest ${MOST} of ${requests.length}` : ''}</span>
      </h2>
      <PlainTable titles={['Number', 'Time', 'User', 'Verb', 'Path', 'Code']}>
        {requests
          .slice(-MOST)
          .reverse()
          .map(({ number, time, user, verb, path, status, body, answer }) => (
            <tr key={number}>
              <td>{number}</td>
              <td>{new Date(time).toISOString()}</td>
              <td>{user}</td>
              <td>{verb}</td>
              <td>
                {body === '' && answer === '' ? (
                  path
                ) : (
                  <details>
                    <summary>{path}</summary>
                    {body !== '' && <Sent title={`Body of request ${number}`} text={body} />}
                    {answer !== '' && <Sent title={`Answer to request ${number}`} text={answer} />}
                  </details>
                )}
              </td>
              <td class={status >= 400 ? 'bad' : ''}>
                {status >= 400 ? '✕ ' : ''}
                {status}
              </td>
            </tr>
          ))}
      </PlainTable>
    </section>
  );
}

function Sent({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <pre class="yaml" tabIndex={0} aria-label={title}>
      {text}
    </pre>
  );
}

/** Reads the state again and again, and after each command. */
function useTestState() {
  const [state, setState] = useState(NOTHING);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    document.title = 'Test server';
  }, []);
  const read = async (opened: Api, signal: AbortSignal): Promise<void> => {
    // A server without a part refuses its commands.
    const orNone = <Result,>(reading: Promise<Result>): Promise<Result | undefined> => reading.catch(() => undefined);
    const clock = await readClock(opened, signal);
    if (clock.saved !== undefined) {
      const saved = await readJournal(opened, signal);
      if (!signal.aborted) setState({ ...NOTHING, clock, journal: saved });
      return;
    }
    const [faults, rules, forks, journal] = await Promise.all([
      orNone(readRules(opened, 'faults', signal)),
      orNone(readRules(opened, 'simulation/rules', signal)),
      orNone(readForks(opened, signal)),
      orNone(readJournal(opened, signal)),
    ]);
    if (!signal.aborted) setState({ clock, faults, rules, forks, journal });
  };
  useRepeated(READ_MS, read, ({ words }) => setFailure(words), turn);
  const run: Run = (command) => {
    setFailure(undefined);
    command()
      .catch((error: unknown) => setFailure(wordsOf(error)))
      .finally(() => setTurn((before) => before + 1));
  };
  return { state, failure, run };
}
