/** The commands of the real command-line tool about flow schemas and priority levels. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveHere, type ServedHere } from './in-process.js';
import { toolMinor, type Kubectl } from './kubectl.js';

/** The objects of a server of release 1.31 as the tool prints them, without their ages. */
const SCHEMAS = `
NAME                           PRIORITYLEVEL     MATCHINGPRECEDENCE   DISTINGUISHERMETHOD   MISSINGPL
exempt                         exempt            1                    <none>                False
probes                         exempt            2                    <none>                False
system-leader-election         leader-election   100                  ByUser                False
endpoint-controller            workload-high     150                  ByUser                False
workload-leader-election       leader-election   200                  ByUser                False
system-node-high               node-high         400                  ByUser                False
system-nodes                   system            500                  ByUser                False
kube-controller-manager        workload-high     800                  ByNamespace           False
kube-scheduler                 workload-high     800                  ByNamespace           False
kube-system-service-accounts   workload-high     900                  ByNamespace           False
service-accounts               workload-low      9000                 ByUser                False
global-default                 global-default    9900                 ByUser                False
catch-all                      catch-all         10000                ByUser                False
`;
const LEVELS = `
NAME              TYPE      NOMINALCONCURRENCYSHARES   QUEUES   HANDSIZE   QUEUELENGTHLIMIT
catch-all         Limited   5                          <none>   <none>     <none>
exempt            Exempt    <none>                     <none>   <none>     <none>
global-default    Limited   20                         128      6          50
leader-election   Limited   10                         16       4          50
node-high         Limited   40                         64       6          50
system            Limited   30                         64       6          50
workload-high     Limited   40                         128      6          50
workload-low      Limited   100                        128      6          50
`;

/** The words of each line of a table. */
const rows = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trimEnd().split(/\s{2,}/));

/** The words of each line of a table, without the column `AGE`. */
function withoutAge(text: string): string[][] {
  const [head = [], ...lines] = rows(text);
  const age = head.indexOf('AGE');
  expect(age).toBeGreaterThan(0);
  return [head, ...lines].map((words) => words.toSpliced(age, 1));
}

describe.skipIf(toolMinor === undefined)('kubectl', () => {
  let served: ServedHere;
  let kubectl: Kubectl;

  beforeAll(async () => {
    served = await serveHere({ dialect: 'kubernetes', fairness: true });
    ({ kubectl } = served);
    await served.server.settled();
  }, 300_000);

  afterAll(() => served?.[Symbol.asyncDispose](), 30_000);

  it('get flowschemas: those of release 1.31, with their columns', async () => {
    const table = await kubectl.ok('get flowschemas --sort-by=.spec.matchingPrecedence');
    expect(withoutAge(table)).toEqual(rows(SCHEMAS));
    expect(rows(table)[0]?.slice(-2)).toEqual(['AGE', 'MISSINGPL']);
  });

  it('get prioritylevelconfigurations: those of release 1.31, with their columns', async () => {
    const table = await kubectl.ok('get prioritylevelconfigurations');
    expect(withoutAge(table)).toEqual(rows(LEVELS));
    expect(rows(table)[0]?.at(-1)).toBe('AGE');
  });

  it('annotate and patch: a change is kept with the annotation', async () => {
    await kubectl.ok(
      'annotate prioritylevelconfiguration workload-low apf.kubernetes.io/autoupdate-spec=false --overwrite',
    );
    const patch = '{"spec":{"limited":{"nominalConcurrencyShares":70}}}';
    await kubectl.ok(['patch', 'prioritylevelconfiguration', 'workload-low', '--type=merge', '-p', patch]);
    const [, level] = rows(await kubectl.ok('get prioritylevelconfiguration workload-low'));
    expect(level?.[2]).toBe('70');
  });

  it('patch: the spec of a mandatory object is refused', async () => {
    const patch = '{"spec":{"matchingPrecedence":5}}';
    const { code, stderr } = await kubectl.run(['patch', 'flowschema', 'catch-all', '--type=merge', '-p', patch]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("spec of 'catch-all' must equal the fixed value");
  });

  it('describe: the condition of a schema', async () => {
    const text = await kubectl.ok('describe flowschema probes');
    expect(text).toMatch(/Reason:\s+Found/);
    expect(text).toMatch(/Type:\s+Dangling/);
  });
});
