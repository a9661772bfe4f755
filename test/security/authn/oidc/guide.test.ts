/** Runs the code of docs/guides/oidc.md against a real provider. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { logIn, providerKey, serveProvider } from './support/provider.js';
import { useSetting } from './support/setting.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const setting = useSetting();

/** Asks the server of the guide who the user of a token is. */
const WHOAMI = `
const answer = await http({
  url: listener.url + '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer TOKEN' },
  body: '{}',
  tls: { certificateAuthority: caPem },
  maxBytes: 100_000,
});
export const whoami = JSON.parse(new TextDecoder().decode(answer.body)).status.userInfo;
`;

test(
  'a user of a real provider has the name and the groups that the guide promises',
  { timeout: 300_000 },
  async () => {
    const { host, http } = setting;
    await serveProvider(
      host,
      [await providerKey('one')],
      [{ sub: 'jane', email: 'jane@example.com', email_verified: true, groups: ['developers'] }],
    );
    const token = await logIn(http, host, 'jane');
    const page = readFileSync(`${root}docs/guides/oidc.md`, 'utf8');
    const [, code = ''] = /^```ts\n([^]*?)^```$/m.exec(page) ?? [];
    // At most ten lines between the imports and the end of what is opened.
    const statements = code.split('\n\n')[1]?.trim().split('\n') ?? [];
    expect(statements.length).toBeLessThanOrEqual(11);
    const program = code
      .replace(/issuerUrl: '[^']*'/, `issuerUrl: '${host.url}', certificateAuthority: ${JSON.stringify(host.caPem)}`)
      .replace('http.close();', `await server.ready();${WHOAMI.replace('TOKEN', token)}http.close();`);
    expect(program).toContain(host.url);
    const folder = `${root}node_modules/.cache/guide-oidc-${process.pid}/`;
    mkdirSync(folder, { recursive: true });
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(`${folder}guide.ts`, program);
    const { whoami } = (await import(/* @vite-ignore */ `${folder}guide.ts`)) as { readonly whoami: unknown };
    expect(whoami).toMatchObject({ username: 'jane@example.com', groups: ['oidc:developers', 'system:authenticated'] });
  },
);
