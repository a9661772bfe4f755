/** Client certificates and the authenticating proxy over real TLS. */
import { connect as connectHttp2 } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.js';
import { createRequestHeaderAuthenticator } from '../../../src/security/authn/request-header/index.js';
import { createX509Authenticator } from '../../../src/security/authn/x509/index.js';
import type { Attributes } from '../../../src/security/authz/index.js';
import {
  createServingCertificate,
  listen,
  type Listener,
  type ServingCertificate,
} from '../../../src/transport/node/index.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { authority, client, CN, intermediate, NOW, O, serverAuth, type Identity } from '../pki/support/issue.js';

const users = authority('users');
const nodes = intermediate('nodes', users);
const frontProxy = authority('front proxy');
const clock = createManualClock(NOW);

let userAuthorities = users.pem;
let server: ApiServer;
let listener: Listener;
let serving: ServingCertificate;
/** The attributes passed to authorizers, and so to webhooks. */
const asked: Attributes[] = [];
const logged: string[] = [];

beforeAll(async () => {
  serving = await createServingCertificate();
  const log = (message: string, fields?: unknown): void =>
    void logged.push(JSON.stringify([message, fields, fields instanceof Error ? fields.message : '']));
  server = new ApiServer({
    authentication: {
      authenticators: [
        createRequestHeaderAuthenticator({ certificateAuthorities: frontProxy.pem, allowedNames: ['proxy'], clock }),
        createX509Authenticator({ certificateAuthorities: () => userAuthorities, clock }),
      ],
    },
    authorization: {
      authorizer: (attributes) => {
        asked.push(attributes);
        return { decision: 'Deny', reason: '' };
      },
    },
    observability: { logger: { info: log, error: log } },
  });
  listener = await listen(server, { tls: { key: serving.keyPem, cert: serving.certPem } });
});

afterAll(async () => {
  await listener.close({ grace: 0 });
  await server.close();
});

type Fields = Readonly<Record<string, string | string[]>>;

/** The user that the server derives, or the status of the refusal. */
async function whoami(chain: readonly Identity[], headers: Fields = {}, agent: Agent = new Agent()): Promise<string> {
  const identity = chain[0] === undefined ? {} : { key: chain[0].keyPem, cert: chain.map(({ pem }) => pem).join('') };
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      `${listener.url}/api/v1/namespaces`,
      { ca: serving.caPem, headers, agent, ...identity },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => (body += text));
        response.on('end', () => {
          agent.destroy();
          resolve(userIn(response.statusCode ?? 0, body));
        });
      },
    );
    request.on('error', reject).end();
  });
}

function userIn(status: number, body: string): string {
  return /User "([^"]*)"/.exec((JSON.parse(body) as { message: string }).message)?.[1] ?? String(status);
}

const proxy = client('proxy', frontProxy);
const ADMIN: Fields = {
  'X-Remote-User': 'admin',
  'X-Remote-Group': 'system:masters',
  'X-Remote-Extra-Scopes': 'everything',
};

describe('over TLS', () => {
  test('a client certificate authenticates its user, with an intermediate or without', async () => {
    expect(await whoami([client([O('dev'), CN('alice')], users)])).toBe('alice');
    expect(asked.at(-1)?.user).toEqual({ username: 'alice', groups: ['dev', 'system:authenticated'] });
    expect(await whoami([client('node-1', nodes), nodes])).toBe('node-1');
    expect(await whoami([])).toBe('system:anonymous');
  });

  test('it does so over HTTP/2', async () => {
    const node = client('node-2', nodes);
    const session = connectHttp2(listener.url, { ca: serving.caPem, key: node.keyPem, cert: node.pem + nodes.pem });
    const ask = async (): Promise<string> => {
      let body = '';
      for await (const chunk of session.request({ ':path': '/api/v1/namespaces' }).setEncoding('utf8')) body += chunk;
      return userIn(0, body);
    };
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['node-2', 'node-2', 'node-2']);
    session.destroy();
  });

  test('a certificate that does not verify never becomes an anonymous request', async () => {
    expect(await whoami([client('eve', authority('strangers'))])).toBe('401');
    expect(await whoami([client('eve', users, { extensions: [serverAuth] })])).toBe('401');
    expect(await whoami([client('eve', users, { notAfter: NOW - 1000 })])).toBe('401');
    expect(await whoami([client('eve', nodes)])).toBe('401');
    expect(await whoami([proxy])).toBe('401');
  });

  test('resumed sessions include the intermediate', async () => {
    const node = client('node-3', nodes);
    const chain = [node, nodes];
    const remembering = new Agent({ keepAlive: false, maxCachedSessions: 10 });
    const destroy = remembering.destroy.bind(remembering);
    remembering.destroy = () => undefined;
    for (let time = 0; time < 3; time += 1) expect(await whoami(chain, {}, remembering)).toBe('node-3');
    destroy();
  });

  test('removed authorities are no longer accepted, and can be added again', async () => {
    const alice = client('alice', users);
    userAuthorities = frontProxy.pem;
    expect(await whoami([alice])).toBe('401');
    userAuthorities = users.pem;
    expect(await whoami([alice])).toBe('alice');
  });

  test('the proxy can act for other users', async () => {
    expect(await whoami([proxy], { ...ADMIN, 'X-Remote-User': 'carol', 'X-Remote-Group': ['a', 'b'] })).toBe('carol');
    expect(asked.at(-1)?.user).toEqual({
      username: 'carol',
      groups: ['a', 'b', 'system:authenticated'],
      extra: { scopes: ['everything'] },
    });
  });
});

describe("the proxy's headers from any other client have no effect", () => {
  test.each<[string, readonly Identity[], Fields, string]>([
    ['without a certificate', [], ADMIN, 'system:anonymous'],
    ['in lower case', [], { 'x-remote-user': 'admin' }, 'system:anonymous'],
    ['in upper case', [], { 'X-REMOTE-USER': 'admin' }, 'system:anonymous'],
    ['doubled', [], { 'X-Remote-User': ['alice', 'admin'] }, 'system:anonymous'],
    ['with underscores', [], { X_Remote_User: 'admin', X_REMOTE_GROUP: 'system:masters' }, 'system:anonymous'],
    ['with the certificate of a user', [client('alice', users)], ADMIN, 'alice'],
    ["with a user's certificate that has the name of the proxy", [client('proxy', users)], ADMIN, 'proxy'],
    ['with a certificate of the proxy authority under another name', [client('other', frontProxy)], ADMIN, '401'],
    ['with an unknown certificate', [client('proxy', authority('front proxy'))], ADMIN, '401'],
    ['with underscores, from the proxy, whose certificate is not a user', [proxy], { X_Remote_User: 'admin' }, '401'],
    ['duplicated, from the proxy', [proxy], { 'X-Remote-User': ['alice', 'admin'] }, 'alice'],
  ])('%s', async (_name, chain, headers, user) => {
    asked.length = 0;
    expect(await whoami(chain, headers)).toBe(user);
    expect(JSON.stringify(asked)).not.toMatch(/admin|system:masters|everything|remote/i);
  });

  test('they appear in no line of the log', () => {
    expect(logged.join('\n')).not.toMatch(/x-remote|system:masters|everything/i);
  });

  test('no other source file uses these headers, or iterates over header names, except for a listed reason', () => {
    const root = new URL('../../../src/', import.meta.url).pathname;
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const having = (pattern: RegExp): string[] =>
      files.filter((name) => pattern.test(readFileSync(root + name, 'utf8'))).sort();
    // The configuration of the authenticator may name them; aggregation drops those of clients, and sets its own for
    // the server of another group.
    expect(
      having(/x-remote-/i).filter(
        (name) =>
          !/^(security\/authn\/request-header\/|apiserver\/api-server\.ts|cli\/|server\/aggregation\/forwarded-fields\.ts)/.test(
            name,
          ),
      ),
    ).toEqual([]);
    // Impersonation looks for its own prefix, a handler of the proxy subresource gets only the headers that are not
    // the server's own, the recorder of another server passes on what its client sent, and the echo is the tests' own
    // server.
    expect(having(/headers\.names\(\)/)).toEqual([
      'security/authn/request-header/identity-headers.ts',
      'server/aggregation/forwarded-fields.ts',
      'server/connect/proxy.ts',
      'server/filters/impersonation.ts',
      'testing/record/upstream.ts',
      'testing/transport-cases/echo-handler.ts',
    ]);
  });
});
