/** The reference pages list every option and member, each in a table row. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pluginChecks } from '../src/apiserver/options/admission-options.js';
import { serverOptionChecks } from '../src/apiserver/options/server-options.js';
import type { AdmissionAttributes } from '../src/registry/verbs/admission.js';
import { columnChecks, definitionChecks, strategyChecks } from '../src/registry/definition/check-definition.js';
import type { RequestContext } from '../src/registry/store/context.js';
import type { Conversion } from '../src/registry/definition/definition.js';
import type { PerformRequest } from '../src/registry/verbs/perform.js';

/** The members of an interface: a missing or superfluous one does not compile. */
type MembersOf<Type> = Readonly<Record<keyof Type, true>>;

const attributes: MembersOf<AdmissionAttributes> = {
  operation: true,
  info: true,
  subresource: true,
  namespace: true,
  name: true,
  requestName: true,
  object: true,
  oldObject: true,
  deleteOptions: true,
  options: true,
  user: true,
  dryRun: true,
  context: true,
  onFinish: true,
};
const request: MembersOf<PerformRequest> = {
  context: true,
  namespace: true,
  name: true,
  target: true,
  client: true,
  dryRun: true,
  admit: true,
};
const conversion: MembersOf<Conversion> = { hub: true, toHub: true, fromHub: true };
/**
 * Twelve members are internal to the server: `work` shares the event loop, `whileWaiting` counts waiting requests, `written` tells an interceptor of the
 * writes, `annotate` and `took` are for the audit log, `span` for traces, `webhookTimes` for metrics, and `definitionLimits` and `checkedRules` for definitions of custom kinds, `allowPrivileged` for pods, `freezes` for copies of objects, and `while` for the controllers of a server that leads.
 */
const context: MembersOf<
  Omit<
    RequestContext,
    | 'work'
    | 'whileWaiting'
    | 'annotate'
    | 'took'
    | 'span'
    | 'webhookTimes'
    | 'written'
    | 'definitionLimits'
    | 'checkedRules'
    | 'allowPrivileged'
    | 'freezes'
    | 'while'
  >
> = {
  user: true,
  dialect: true,
  clock: true,
  entropy: true,
  featureGates: true,
  userAgent: true,
  signal: true,
  warn: true,
};

const textOf = (page: string): string => readFileSync(new URL(`../docs/reference/${page}`, import.meta.url), 'utf8');

/** The names in the first cells of the rows of a page's tables: `name` or `name(arguments)`. */
function named(page: string): Set<string> {
  const rows = textOf(page).match(/^\| `.*$/gm) ?? [];
  return new Set(
    rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)[^`]*`/g)].map((match) => match[1] ?? '')),
  );
}

describe.each<[page: string, subject: string, members: object]>([
  ['api-server.md', 'options of ApiServer', serverOptionChecks],
  ['define-resource.md', 'options of defineResource', definitionChecks],
  ['define-resource.md', 'members of Strategy', strategyChecks],
  ['define-resource.md', 'members of Column', columnChecks],
  ['admission.md', 'members of a plugin', pluginChecks],
  ['admission.md', 'attributes', attributes],
  ['operations.md', 'members of the request', request],
  ['conversion.md', 'members of conversion', conversion],
  ['logging.md', 'methods of a logger', { info: true, error: true }],
])('%s', (page, subject, members) => {
  it(`lists the ${subject}`, () => {
    const there = named(page);
    expect(Object.keys(members).filter((name) => !there.has(name))).toEqual([]);
  });
});

it.each(['define-resource.md', 'admission.md', 'operations.md'])('%s lists the members of a context', (page) => {
  const text = textOf(page);
  expect(Object.keys(context).filter((name) => !new RegExp(`\`${name}[\`(]`).test(text))).toEqual([]);
});
