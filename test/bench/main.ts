/**
 * The benchmark: ratios and rates measured in one run, printed as a table and written as JSON. It measures the build
 * (`dist`): run `npm run bench`, which builds first.
 *
 * Run with names to measure only those: `npm run bench -- http watch`.
 */
import { writeFileSync } from 'node:fs';
import { admission } from './admission.js';
import { certificates } from './certificates.js';
import { changes } from './changes.js';
import { cold } from './cold.js';
import { controllers } from './controllers.js';
import { customResources } from './custom-resources.js';
import { engines } from './engines.js';
import { etcd } from './etcd.js';
import { fairness } from './fairness.js';
import { handed } from './handed.js';
import { http } from './http.js';
import { identity } from './identity.js';
import { inProcess } from './in-process.js';
import { integers } from './integers.js';
import { large } from './large.js';
import { meetsTarget, type Measure } from './measure.js';
import { metrics } from './metrics.js';
import { neighbours } from './neighbours.js';
import { page } from './page.js';
import { rbac } from './rbac.js';
import { reads } from './reads.js';
import { rollout } from './rollout.js';
import { rules } from './rules.js';
import { scale } from './scale.js';
import { served } from './served.js';
import { sqlite } from './sqlite.js';
import { startup } from './startup.js';
import { testing } from './testing.js';
import { tokens } from './tokens.js';
import { trustBundles } from './trust-bundles.js';
import { watch } from './watch.js';
import { workloads } from './workloads.js';
import { workspaces } from './workspaces.js';
import { writes } from './writes.js';
import { yaml } from './yaml.js';

const benches: Readonly<Record<string, () => Promise<Measure[]>>> = {
  startup,
  inProcess,
  workloads,
  controllers,
  rollout,
  watch,
  http,
  writes,
  changes,
  scale,
  large,
  tokens,
  rbac,
  rules,
  customResources,
  admission,
  handed,
  fairness,
  metrics,
  neighbours,
  served,
  identity,
  integers,
  certificates,
  trustBundles,
  sqlite,
  cold,
  etcd,
  engines,
  reads,
  testing,
  workspaces,
  yaml,
  page,
};

const wanted = process.argv.slice(2);
const measures: Measure[] = [];
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  measures.push(...(await bench()));
}

const number = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : value.toFixed(value < 10 ? 2 : 1);
const rows = measures.map((measure) => [
  measure.name,
  `${number(measure.value)} ${measure.unit}`,
  measure.target === undefined ? '' : `${measure.target.sense} ${number(measure.target.value)}`,
  meetsTarget(measure) === undefined ? '' : meetsTarget(measure) ? 'met' : 'NOT MET',
  measure.detail ?? '',
]);
const header = ['measure', 'value', 'target', '', 'detail'];
const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => (row[column] ?? '').length)));
for (const row of [header, ...rows])
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
writeFileSync('bench-results.json', `${JSON.stringify({ node: process.version, measures }, null, 2)}\n`);
