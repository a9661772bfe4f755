import { describe, expect, it } from 'vitest';
import {
  loadAuthenticationConfiguration,
  watchAuthenticationConfiguration,
  type AuthenticationConfigurationRules,
} from '../../../../src/security/index.js';
import type { JsonObject, JsonValue } from '../../../../src/foundation/json/json.js';
import { orch } from '../../../../src/foundation/index.js';
import { createManualClock } from '../../../../src/testing/time/manual-clock.js';

const rules: AuthenticationConfigurationRules = {
  dialect: orch,
  disallowedIssuers: ['https://self'],
  anonymousConfigurable: true,
};
const parseText = (text: string): JsonValue => JSON.parse(text) as JsonValue;
const text = (fields: JsonObject): string =>
  JSON.stringify({ apiVersion: 'apiserver.config.orch.io/v1beta1', kind: 'AuthenticationConfiguration', ...fields });
const jwt = (url: string): JsonObject => ({
  issuer: { url, audiences: ['api'] },
  claimMappings: { username: { expression: 'claims.sub' } },
});

describe('loadAuthenticationConfiguration', () => {
  it('reads and validates the file', async () => {
    expect(await loadAuthenticationConfiguration(text({ jwt: [jwt('https://a')] }), { parseText, rules })).toEqual({
      jwt: [jwt('https://a')],
    });
  });

  it.each([
    ['an empty file', '', 'empty config data'],
    ['an unknown field', text({ jwts: [] }), 'strict decoding error: unknown field "jwts"'],
    [
      'one error',
      text({ jwt: [jwt('http://a')] }),
      'jwt[0].issuer.url: Invalid value: "http://a": URL scheme must be https',
    ],
    [
      'several errors',
      text({ jwt: [jwt('https://self'), jwt('')] }),
      '[jwt[0].issuer.url: Invalid value: "https://self": URL must not overlap with disallowed issuers: [https://self], jwt[1].issuer.url: Required value: URL is required]',
    ],
  ])('rejects %s', async (_name, content, message) => {
    await expect(loadAuthenticationConfiguration(content, { parseText, rules })).rejects.toThrow(message);
  });
});

describe('watchAuthenticationConfiguration', () => {
  async function watched(initial: string) {
    const clock = createManualClock();
    const events: string[] = [];
    const file = { text: initial };
    const watch = watchAuthenticationConfiguration({
      parseText,
      rules,
      initial: { text: initial, configuration: await loadAuthenticationConfiguration(initial, { parseText, rules }) },
      read: () => file.text,
      apply: (configuration) => void events.push(`apply ${configuration.jwt.map(({ issuer }) => issuer.url).join()}`),
      clock,
      log: {
        info: (message) => void events.push(message),
        error: (message, fields) => void events.push(`${message}: ${String(fields?.['error'])}`),
      },
      metrics: { reloaded: (success) => void events.push(success ? 'success' : 'failure') },
    });
    return { clock, events, file, watch };
  }

  it('applies a valid file, and keeps it when the next one is invalid', async () => {
    const { events, file, watch } = await watched(text({ jwt: [jwt('https://a')] }));
    file.text = text({ jwt: [jwt('https://a'), jwt('https://b')] });
    await watch.check();
    file.text = text({ jwt: [jwt('https://self')] });
    await watch.check();
    file.text = 'kind: [';
    await watch.check();
    expect(events).toEqual([
      'apply https://a,https://b',
      'reloaded authentication config',
      'success',
      'failed to validate authentication config: jwt[0].issuer.url: Invalid value: "https://self": URL must not overlap with disallowed issuers: [https://self]',
      'failure',
      expect.stringMatching(/^failed to load authentication config: .*JSON/) as string,
      'failure',
    ]);
  });

  it('does not change anonymous access', async () => {
    const anonymous = { enabled: true, conditions: [{ path: '/livez' }] };
    const { events, file, watch } = await watched(text({ anonymous }));
    for (const changed of [
      {},
      { anonymous: { enabled: false } },
      { anonymous: { ...anonymous, conditions: [{ path: '/readyz' }] } },
    ]) {
      file.text = text(changed);
      await watch.check();
    }
    expect(events.filter((event) => event !== 'failure')).toEqual(
      Array(3).fill(
        'failed to validate authentication config: anonymous: Forbidden: changed from initial configuration file',
      ),
    );
    file.text = text({ anonymous, jwt: [jwt('https://a')] });
    await watch.check();
    expect(events.at(-1)).toBe('success');
  });

  it('reads the file every minute', async () => {
    const { clock, events, file } = await watched(text({}));
    file.text = text({ jwt: [jwt('https://a')] });
    // Expressions are compiled by libraries that the host loads: their loading does not depend on the clock.
    await clock.advance(60_000);
    await expect.poll(() => events.at(-1)).toBe('success');
  });
});
