/** The libraries that create certificates and requests leave the global object as it was. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Runs a program, and returns what it prints as JSON. */
function outputOf(program: string): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const CREATE = `
  const pki = await import('./src/security/pki/index.ts');
  const create = async () => {
    await pki.CertificateAuthority.create({ commonName: 'a', notBefore: 0, notAfter: 1e12 });
    await pki.createCertificateRequest({ subject: {}, keyPair: await pki.generateKeyPair() });
  };`;
const KEYS = `[...Reflect.ownKeys(globalThis), ...Reflect.ownKeys(Reflect)].map(String)`;

test('nothing is added to the global object or to Reflect', () => {
  const added = outputOf(`
    const before = new Set(${KEYS});
    ${CREATE}
    // Two at the same time, while the library loads, and one afterwards.
    await Promise.all([create(), create()]);
    await create();
    // The CommonJS form of tslib adds its helpers, as in every program that uses it.
    const helpers = new Set(Object.keys(await import('tslib')));
    console.log(JSON.stringify(${KEYS}.filter((key) => !before.has(key) && !helpers.has(key))));`);
  expect(added).toEqual([]);
});

test('a polyfill of the program stays, from before and from the same moment', () => {
  for (const load of [
    `await import('reflect-metadata'); await create();`,
    `await Promise.all([create(), import('reflect-metadata')]);`,
  ])
    expect(
      outputOf(`
        ${CREATE}
        ${load}
        await create();
        const target = {};
        Reflect.defineMetadata('key', 'value', target);
        console.log(JSON.stringify(Reflect.getMetadata('key', target)));`),
    ).toBe('value');
});
