import { describe, expect, test } from 'vitest';
import {
  loadAuthorizationConfiguration,
  watchAuthorizationConfiguration,
  type AuthorizationConfigurationRules,
} from '../../../../src/security/authz/configuration/index.js';
import type { JsonObject, JsonValue } from '../../../../src/foundation/json/json.js';
import { orch } from '../../../../src/foundation/index.js';
import { createManualClock } from '../../../../src/entries/testing.js';
import { configurationOf, NODE, RBAC, webhookEntry } from './support.js';

const rules: AuthorizationConfigurationRules = { dialect: orch };
const parseText = (text: string): JsonValue => JSON.parse(text) as JsonValue;
const text = (...authorizers: readonly JsonObject[]): string => JSON.stringify(configurationOf(authorizers));

describe('loadAuthorizationConfiguration', () => {
  test('reads and validates the file', async () => {
    expect(await loadAuthorizationConfiguration(text(NODE, RBAC), { parseText, rules })).toEqual({
      authorizers: [NODE, RBAC],
    });
  });

  test.each([
    ['an empty file', '', 'authorizers: Required value: at least one authorization mode must be defined'],
    [
      'an unknown field',
      text({ ...RBAC, names: [] }),
      'failed to load AuthorizationConfiguration from file: strict decoding error: unknown field "authorizers[0].names"',
    ],
    [
      'an unreadable file',
      text(webhookEntry({ timeout: 'soon' })),
      'failed to load AuthorizationConfiguration from file: time: invalid duration "soon"',
    ],
    [
      'an invalid configuration',
      text(webhookEntry({ timeout: '1m' })),
      'authorizers[0].timeout: Invalid value: "1m0s": must be > 0s and <= 30s',
    ],
  ])('rejects %s', async (_name, content, message) => {
    await expect(loadAuthorizationConfiguration(content, { parseText, rules })).rejects.toThrow(new Error(message));
  });
});

describe('watchAuthorizationConfiguration', () => {
  async function watched(initial: string) {
    const clock = createManualClock();
    const events: string[] = [];
    const file = { text: initial };
    const watch = watchAuthorizationConfiguration({
      parseText,
      rules,
      initial: { text: initial, configuration: await loadAuthorizationConfiguration(initial, { parseText, rules }) },
      read: () => file.text,
      apply: ({ authorizers }) => void events.push(`apply ${authorizers.map(({ name }) => name).join()}`),
      clock,
      log: {
        info: (message) => void events.push(message),
        error: (message, fields) => void events.push(`${message}: ${String(fields?.['error'])}`),
      },
      metrics: { reloaded: (success) => void events.push(success ? 'success' : 'failure') },
    });
    return { clock, events, file, watch };
  }

  test('applies a valid file, and keeps it when the next one is invalid', async () => {
    const { events, file, watch } = await watched(text(RBAC));
    file.text = text(webhookEntry(), RBAC);
    await watch.check();
    file.text = text(webhookEntry({ timeout: '31s' }), RBAC);
    await watch.check();
    file.text = 'kind: [';
    await watch.check();
    expect(events).toEqual([
      'apply directory,rbac',
      'reloaded authorization config',
      'success',
      'failed to load authorization config: authorizers[0].timeout: Invalid value: "31s": must be > 0s and <= 30s',
      'failure',
      expect.stringMatching(
        /^failed to load authorization config: failed to load AuthorizationConfiguration from file: .*JSON/,
      ) as string,
      'failure',
    ]);
  });

  test.each<[string, readonly JsonObject[], readonly JsonObject[], string | undefined]>([
    ['one removed authorizer', [NODE, RBAC], [RBAC], 'missing required types: [Node]'],
    ['two removed authorizers', [RBAC, NODE, webhookEntry()], [webhookEntry()], 'missing required types: [Node RBAC]'],
    [
      'a Node authorizer',
      [RBAC],
      [NODE, RBAC],
      'authorizer type Node is not allowed if it was not enabled at initial server startup',
    ],
    [
      'an RBAC authorizer',
      [NODE],
      [NODE, RBAC],
      'authorizer type RBAC is not allowed if it was not enabled at initial server startup',
    ],
    ['another order', [NODE, RBAC], [RBAC, NODE], undefined],
    [
      'webhooks added and removed',
      [RBAC, webhookEntry()],
      [RBAC, webhookEntry({}, 'b'), webhookEntry({}, 'c')],
      undefined,
    ],
  ])('a new file with %s', async (_case, before, after, message) => {
    const { events, file, watch } = await watched(text(...before));
    file.text = text(...after);
    await watch.check();
    expect(events[0]).toBe(
      message === undefined
        ? `apply ${after.map(({ name }) => String(name)).join()}`
        : `failed to validate authorization config: ${message}`,
    );
  });

  test('reads the file every minute', async () => {
    const { clock, events, file } = await watched(text(RBAC));
    file.text = text(RBAC, webhookEntry({ matchConditions: [{ expression: 'true' }] }));
    await clock.advance(60_000);
    // Expressions are compiled by libraries that the host loads: their loading does not depend on the clock.
    await expect.poll(() => events.at(-1)).toBe('success');
  });
});
