import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ResourceClient } from '../../src/entries/client.js';
import { parseControllerList } from '../../src/apiserver/controllers/controller-list.js';
import { controllerNames } from '../../src/apiserver/controllers/controller-names.js';
import { controllersOffByDefault } from '../../src/apiserver/controllers/controller-table.js';
import { createControllers } from '../../src/apiserver/controllers/controllers.js';
import { formatTime } from '../../src/foundation/time/time.js';
import { kubernetes, orch } from '../../src/foundation/index.js';
import { Secret } from '../../src/kinds/builtin/index.js';
import { harness, orAbsent, type Harness, servedResources } from './harness.js';

const HOUR_MS = 3_600_000;

const secretsOf = ({ client, server: { dialect } }: Harness) =>
  client.resource(Secret).namespace(dialect.namespaces.system);

/** The Secret of a token that expires after the given milliseconds, or at the time of a text. */
function tokenSecret({ server: { dialect }, clock }: Harness, id: string, ends?: number | string) {
  const expiration = typeof ends === 'number' ? formatTime(clock.now() + ends) : ends;
  return {
    metadata: { name: `bootstrap-token-${id}` },
    type: dialect.secretTypes.bootstrapToken,
    stringData: {
      'token-id': id,
      'token-secret': '0123456789abcdef',
      ...(expiration === undefined ? {} : { expiration }),
    },
  };
}

async function namesOf(h: Harness): Promise<string[]> {
  return (await secretsOf(h).list()).items.map(({ metadata }) => metadata.name?.replace('bootstrap-token-', '') ?? '');
}

async function advance(h: Harness, ms: number): Promise<void> {
  await h.settled();
  h.clock.advance(ms);
  await h.settled();
}

const start = (dialect = kubernetes) => harness({ enabled: ['tokencleaner'], dialect }, { dialect });

describe('the token cleaner', () => {
  test.each([kubernetes, orch])(
    'deletes a token when it expires, and not before, in the dialect $name',
    async (dialect) => {
      await using h = start(dialect);
      const secrets = secretsOf(h);
      for (const [id, ends] of [
        ['aaaaaa', 60_000],
        ['bbbbbb', 61_000],
        ['cccccc', undefined],
      ] as const)
        await secrets.create(tokenSecret(h, id, ends));
      await advance(h, 59_999);
      expect(await namesOf(h)).toEqual(['aaaaaa', 'bbbbbb', 'cccccc']);
      await advance(h, 1);
      expect(await namesOf(h)).toEqual(['bbbbbb', 'cccccc']);
      await advance(h, 1000);
      expect(await namesOf(h)).toEqual(['cccccc']);
      await advance(h, HOUR_MS);
      expect(await namesOf(h)).toEqual(['cccccc']);
      expect(h.errors).toEqual([]);
    },
  );

  test('deletes expired and unreadable tokens at once, including those created before it started', async () => {
    await using h = harness();
    for (const [id, ends] of [
      ['aaaaaa', -1000],
      ['bbbbbb', 0],
      ['cccccc', 1000],
    ] as const)
      await secretsOf(h).create(tokenSecret(h, id, ends));
    const controllers = createControllers({
      kinds: servedResources,
      dialect: h.server.dialect,
      clock: h.clock,
      enabled: ['tokencleaner'],
    });
    controllers.start(h.client);
    await controllers.settled();
    expect(await namesOf(h)).toEqual(['cccccc']);
    await secretsOf(h).create(tokenSecret(h, 'dddddd', -1));
    await controllers.settled();
    expect(await namesOf(h)).toEqual(['cccccc']);
    await controllers.stop();
  });

  test('follows a token whose expiry is postponed, brought forward, or removed', async () => {
    await using h = start();
    const secrets = secretsOf(h);
    for (const id of ['aaaaaa', 'bbbbbb', 'cccccc']) await secrets.create(tokenSecret(h, id, 60_000));
    await advance(h, 30_000);
    await secrets.update(tokenSecret(h, 'aaaaaa', 60_000));
    await secrets.update(tokenSecret(h, 'bbbbbb', 10_000));
    await secrets.update(tokenSecret(h, 'cccccc'));
    await advance(h, 10_000);
    expect(await namesOf(h)).toEqual(['aaaaaa', 'cccccc']);
    await advance(h, 49_999);
    expect(await namesOf(h)).toEqual(['aaaaaa', 'cccccc']);
    await advance(h, 1);
    expect(await namesOf(h)).toEqual(['cccccc']);
  });

  test('ignores other types and other namespaces', async () => {
    await using h = start();
    const expired = tokenSecret(h, 'aaaaaa', -1000);
    await secretsOf(h).create({ ...expired, type: 'Opaque' });
    await h.client.resource(Secret).namespace('default').create(expired);
    await advance(h, HOUR_MS);
    expect(await namesOf(h)).toEqual(['aaaaaa']);
    expect(await orAbsent(h.client.resource(Secret).namespace('default').get('bootstrap-token-aaaaaa'))).toBeDefined();
  });

  test('waits for finalizers without repeated requests', async () => {
    await using h = start();
    await h.settled();
    const waiting = h.clock.pending;
    const secret = tokenSecret(h, 'aaaaaa', 1000);
    await secretsOf(h).create({ ...secret, metadata: { ...secret.metadata, finalizers: ['example.com/hold'] } });
    await advance(h, 1000);
    expect((await secretsOf(h).get('bootstrap-token-aaaaaa')).metadata.deletionTimestamp).toBeDefined();
    expect(h.clock.pending).toBe(waiting);
    expect(h.errors).toEqual([]);
  });

  test('does not delete a token that was recreated under the name of an expired one', async () => {
    await using h = start();
    const secrets = secretsOf(h);
    const remove = ResourceClient.prototype.delete;
    const spy = vi.spyOn(ResourceClient.prototype, 'delete').mockImplementationOnce(async function (
      this: ResourceClient<unknown, unknown>,
      ...args
    ) {
      await remove.call(secrets, 'bootstrap-token-aaaaaa');
      await secrets.create(tokenSecret(h, 'aaaaaa', 60_000));
      return remove.apply(this, args);
    });
    onTestFinished(() => spy.mockRestore());
    await secrets.create(tokenSecret(h, 'aaaaaa', -1000));
    await advance(h, 59_999);
    expect(await namesOf(h)).toEqual(['aaaaaa']);
    await advance(h, 1);
    expect(await namesOf(h)).toEqual([]);
    expect(spy).toHaveBeenCalledTimes(2);
    expect(h.errors).toEqual([]);
  });

  test('retries if a delete fails', async () => {
    await using h = start();
    const spy = vi.spyOn(ResourceClient.prototype, 'delete').mockRejectedValueOnce(new Error('down'));
    onTestFinished(() => spy.mockRestore());
    await secretsOf(h).create(tokenSecret(h, 'aaaaaa', -1000));
    await h.settled();
    expect(await namesOf(h)).toEqual(['aaaaaa']);
    await advance(h, 10);
    expect(await namesOf(h)).toEqual([]);
    expect(h.errors).toEqual([new Error('down')]);
  });

  test.each([
    ['by default', {}],
    ['if it is also disabled', { enabled: ['tokencleaner'], disabled: ['tokencleaner'] }],
  ] as const)('does not run %s, even when it is triggered', async (_case, options) => {
    await using h = harness(options);
    await secretsOf(h).create(tokenSecret(h, 'aaaaaa', -1000));
    h.controllers.wake('tokencleaner');
    await h.settled();
    expect(await namesOf(h)).toEqual(['aaaaaa']);
  });
});

describe('a list of controllers', () => {
  const all = controllerNames.filter((name) => !controllersOffByDefault.includes(name));

  test.each([
    ['*', [], []],
    ['*,tokencleaner', ['tokencleaner'], []],
    ['tokencleaner,*,bootstrapsigner', ['tokencleaner', 'bootstrapsigner'], []],
    ['*,-serviceaccount', [], ['serviceaccount']],
    ['namespace', [], all.filter((name) => name !== 'namespace')],
    ['bootstrapsigner', ['bootstrapsigner'], all],
    ['', [], all],
    // The first entry wins.
    ['tokencleaner,-tokencleaner', ['tokencleaner'], all],
    ['-tokencleaner,tokencleaner', [], all],
    ['-namespace,*,namespace', [], ['namespace']],
  ])('%j', (text, enabled, disabled) => {
    expect(parseControllerList(text)).toEqual({ enabled, disabled });
  });

  test.each([
    ['nobody', 'nobody'],
    ['*,-nobody', 'nobody'],
    ['*,', ''],
    [' *', ' *'],
    ['--namespace', '-namespace'],
    ['**', '**'],
  ])('%j names an unknown controller', (text, name) => {
    expect(() => parseControllerList(text)).toThrow(
      new Error(`${JSON.stringify(name)} is not in the list of known controllers`),
    );
  });
});
