/** The table of metrics, and that a server shows nothing else. */
import { describe, expect, test } from 'vitest';
import { kubernetes, type Dialect } from '../../src/entries/index.js';
import { startTestServer } from '../../src/entries/testing.js';
import { ConfigMap, Deployment, Namespace } from '../../src/kinds/builtin/index.js';
import {
  accessMetrics,
  auditMetrics,
  certificateFaultMetrics,
  certificateMetrics,
  reloadMetrics,
  tokenCacheMetrics,
} from '../../src/server/metrics/table/access-metrics.js';
import { admissionMetrics } from '../../src/server/metrics/table/admission-metrics.js';
import { flowMetrics } from '../../src/server/metrics/table/flow-metrics.js';
import type { MetricRow } from '../../src/server/metrics/table/metric-table.js';
import { queueMetrics } from '../../src/server/metrics/table/queue-metrics.js';
import { requestMetrics } from '../../src/server/metrics/table/request-metrics.js';
import {
  metricsOfMetrics,
  processMetrics,
  productMetrics,
  serverMetrics,
} from '../../src/server/metrics/table/server-metrics.js';
import { storageMetrics } from '../../src/server/metrics/table/storage-metrics.js';
import { ask, textOf } from './ask.js';

type Row = MetricRow & { readonly name: string };

const tablesOf = (dialect: Dialect): readonly Readonly<Record<string, Row>>[] => [
  ...[requestMetrics, accessMetrics, tokenCacheMetrics, certificateFaultMetrics, certificateMetrics(dialect)],
  ...[auditMetrics, admissionMetrics, flowMetrics, storageMetrics, queueMetrics],
  ...[serverMetrics, processMetrics, metricsOfMetrics, productMetrics(dialect)],
  reloadMetrics('apiserver_authentication_config_controller'),
  reloadMetrics('apiserver_authorization_config_controller'),
  reloadMetrics('apiserver_audit_policy'),
];

const rows = tablesOf(kubernetes).flatMap((table) => Object.values(table));
const byName = new Map(rows.map((row) => [row.name, row]));

describe('a row of the table', () => {
  test('has a name of its own', () => {
    expect(byName.size).toBe(rows.length);
    expect(rows.filter(({ name }) => !/^[a-z_][a-z0-9_]*$/.test(name))).toEqual([]);
  });

  test.each(rows)('$name has labels that differ, and ascending buckets if it is a histogram', ({ labels, ...row }) => {
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels).not.toContain('le');
    const { type, buckets } = row;
    expect(buckets !== undefined).toBe(type === 'histogram');
    expect(buckets).toEqual(buckets && [...new Set(buckets)].sort((a, b) => a - b));
  });
});

/** The metrics that a server shows: the type, the help text and the sets of labels of each. */
function shownIn(text: string): Map<string, { type: string; help: string; labels: Set<string> }> {
  const shown = new Map<string, { type: string; help: string; labels: Set<string> }>();
  let help = '';
  let current: { type: string; help: string; labels: Set<string> } | undefined;
  for (const line of text.split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (kind === 'HELP') help = rest;
    else if (kind === 'TYPE') shown.set(name, (current = { type: rest, help, labels: new Set() }));
    else if (line !== '') {
      const labels = Array.from(line.matchAll(/(\w+)="(?:[^"\\]|\\.)*"[,}]/g), ([, label = '']) => label);
      current?.labels.add(labels.filter((label) => label !== 'le').join());
    }
  }
  return shown;
}

test('a server shows the metrics of the table, as their rows say', async () => {
  await using server = await startTestServer({
    dialect: kubernetes,
    authentication: { ownerToken: 'admin' },
    fairness: true,
  });
  const { client } = server;
  await client.resource(Namespace).create({ metadata: { name: 'gone' } });
  await client.resource(Namespace).delete('gone');
  const maps = client.resource(ConfigMap).namespace('default');
  await maps.create({ metadata: { name: 'map' } });
  await maps.list();
  await client.resource(Deployment).namespace('default').list();
  await server.settled();
  const path = '/api/v1/namespaces/default/configmaps';
  await ask(server.server, 'GET', path);
  await ask(server.server, 'POST', path, { body: JSON.stringify({ metadata: { name: 'other' } }) });
  const shown = shownIn(textOf(await ask(server.server, 'GET', '/metrics')));
  expect(shown.size).toBeGreaterThan(50);
  for (const [name, { type, help, labels }] of shown) {
    const row = byName.get(name);
    expect(row, name).toBeDefined();
    if (row === undefined) continue;
    const prefix = row.stability === undefined ? '' : `[${row.stability}] `;
    const deprecated = row.deprecated === undefined ? '' : `(Deprecated since ${row.deprecated}) `;
    expect({ name, type, help, labels: [...labels] }).toEqual({
      ...{ name, type: row.type },
      help: `${prefix}${deprecated}${row.help}`,
      labels: [[...row.labels].sort().join()],
    });
  }
});

test('the metrics of the flow control have the stability levels of Kubernetes', async () => {
  await using server = await startTestServer({
    dialect: kubernetes,
    authentication: { ownerToken: 'admin' },
    fairness: true,
  });
  await ask(server.server, 'GET', '/api/v1/namespaces');
  const shown = shownIn(textOf(await ask(server.server, 'GET', '/metrics')));
  const levelOf = (name: string): string | undefined => /^\[(\w+)\]/.exec(shown.get(name)?.help ?? '')?.[1];
  expect({
    nominal: levelOf('apiserver_flowcontrol_nominal_limit_seats'),
    demand: levelOf('apiserver_flowcontrol_demand_seats'),
    dispatched: levelOf('apiserver_flowcontrol_dispatched_requests_total'),
    inFlight: levelOf('apiserver_current_inflight_requests'),
    inQueue: levelOf('apiserver_current_inqueue_requests'),
  }).toEqual({ nominal: 'BETA', demand: 'ALPHA', dispatched: 'BETA', inFlight: 'STABLE', inQueue: 'ALPHA' });
});
