import { afterEach, describe, expect, test, vi } from 'vitest';
import { errors } from '../../../src/foundation/errors/api-error.js';
import { Endpoints, Node, Pod, Service } from '../../../src/kinds/builtin/index.js';
import type { ExecSession, PodHandlers, ProxyRequest } from '../../../src/entries/index.js';
import { isStream, type WebSocketAnswer } from '../../../src/server/requests/http.js';
import type { TestServer, TestServerOptions } from '../../../src/entries/testing.js';
import { ask, jsonOf, requestOf, textOf } from '../ask.js';
import { OWNER, podOf, startWorld } from './world.js';

afterEach(() => vi.restoreAllMocks());

const V5 = 'v5.channel.k8s.io';
const V4 = 'v4.channel.k8s.io';
const BASE64 = 'v4.base64.channel.k8s.io';
const SUCCESS = '{"metadata":{},"status":"Success"}';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

async function worldWith(options: TestServerOptions, spec: object = { nodeName: 'n' }): Promise<TestServer> {
  const world = await startWorld(options);
  await world.client.resource(Pod).namespace('default').create(podOf('p', { spec }));
  return world;
}

const path = (rest: string): string => `/api/v1/namespaces/default/pods/p/${rest}`;

/** Opens a WebSocket as a transport does. */
function open(world: TestServer, target: string, protocol = V5, token = OWNER) {
  return world.server.target.handleWebSocket(
    requestOf('GET', path(target), { token, headers: { 'sec-websocket-protocol': protocol } }),
  );
}

async function accepted(world: TestServer, target: string, protocol = V5): Promise<WebSocketAnswer> {
  const outcome = await open(world, target, protocol);
  if ('refuse' in outcome) throw new Error(textOf(outcome.refuse));
  return outcome.accept;
}

async function refusal(world: TestServer, target: string, protocol = V5, token = OWNER): Promise<[number, unknown]> {
  const outcome = await open(world, target, protocol, token);
  if ('accept' in outcome) throw new Error('it was accepted');
  return [outcome.refuse.status, jsonOf(outcome.refuse)['message']];
}

const frame = (channel: number, data: string): Uint8Array => Uint8Array.of(channel, ...encoder.encode(data));

/** All messages to the client, as `channel:text`. */
async function messagesOf({ messages }: WebSocketAnswer): Promise<string[]> {
  const all: string[] = [];
  for await (const message of messages)
    all.push(
      typeof message === 'string'
        ? `${message[0]}:${decoder.decode(Buffer.from(message.slice(1), 'base64'))}`
        : `${message[0]}:${decoder.decode(message.subarray(1))}`,
    );
  return all;
}

describe('exec', () => {
  const echo = async (_pod: unknown, { command, container, stdout, stderr, tty }: ExecSession): Promise<void> => {
    await stdout?.write(`${container} ${command.join(',')}${tty ? ' tty' : ''}`);
    await stderr?.write(encoder.encode('oops'));
  };

  test.each([V5, V4, BASE64])('sends the streams and the end over %s', async (protocol) => {
    await using world = await worldWith({ handlers: { pods: { exec: echo } } });
    const answer = await accepted(world, 'exec?command=a&command=b&stdout=true&stderr=true', protocol);
    expect(answer.protocol).toBe(protocol);
    expect(await messagesOf(answer)).toEqual(['1:', '1:main a,b', '2:oops', `3:${SUCCESS}`]);
  });

  test('a terminal has no error output', async () => {
    await using world = await worldWith({ handlers: { pods: { exec: echo } } });
    const answer = await accepted(world, 'exec?command=a&stdout=true&stderr=true&tty=true');
    expect(await messagesOf(answer)).toEqual(['1:', '1:main a tty', `3:${SUCCESS}`]);
  });

  test.each([
    [V5, frame(0, 'hello '), frame(0, 'world'), Uint8Array.of(255, 0)],
    [BASE64, `0${btoa('hello ')}`, `0${btoa('world')}`, undefined],
  ])('passes the input on over %s until the client ends it', async (protocol, first, second, end) => {
    const exec: PodHandlers['exec'] = async (_pod, { stdin, stdout }) => {
      let text = '';
      for await (const chunk of stdin ?? []) {
        text += decoder.decode(chunk);
        if (text === 'hello world' && end === undefined) break;
      }
      await stdout?.write(text);
    };
    await using world = await worldWith({ handlers: { pods: { exec } } });
    const answer = await accepted(world, 'exec?command=cat&stdin=true&stdout=true', protocol);
    for (const message of [first, second, end]) if (message !== undefined) await answer.receive?.(message);
    expect(await messagesOf(answer)).toEqual(['1:', '1:hello world', `3:${SUCCESS}`]);
  });

  test('tells the sizes of the terminal', async () => {
    const exec: PodHandlers['exec'] = async (_pod, { resizes, stdout }) => {
      for await (const { width, height } of resizes) {
        await stdout?.write(`${width}x${height}`);
        if (width === 3) return;
      }
    };
    await using world = await worldWith({ handlers: { pods: { exec } } });
    const answer = await accepted(world, 'exec?command=sh&stdout=true&tty=true');
    for (const size of ['{"Width":1,"Height":2}', 'nonsense', '{"Width":3,"Height":4}'])
      await answer.receive?.(frame(4, size));
    expect(await messagesOf(answer)).toEqual(['1:', '1:1x2', '1:3x4', `3:${SUCCESS}`]);
  });

  test('tells the exit code', async () => {
    await using world = await worldWith({ handlers: { pods: { exec: () => 7 } } });
    const [, end = ''] = await messagesOf(await accepted(world, 'exec?command=x&stderr=true'));
    expect(JSON.parse(end.slice(2))).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'command terminated with non-zero exit code: exit status 7',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '7' }] },
    });
  });

  test('a handler that fails ends only its own session', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    const exec: PodHandlers['exec'] = (_pod, { command }) => {
      if (command[0] === 'refuse') throw errors.badRequest('no such program');
      throw new Error('secret');
    };
    await using world = await worldWith({ handlers: { pods: { exec } } });
    const failed = (await messagesOf(await accepted(world, 'exec?command=x&stdout=true'))).at(-1) ?? '';
    expect(failed).toContain('the server could not complete the request');
    expect(failed).not.toContain('secret');
    expect(logged).toHaveBeenCalledTimes(1);
    const refused = (await messagesOf(await accepted(world, 'exec?command=refuse&stdout=true'))).at(-1);
    expect(refused).toContain('"message":"no such program"');
  });

  test('ends when the client leaves', async () => {
    let leave: (text: string) => void = () => undefined;
    const left = new Promise<string>((resolve) => (leave = resolve));
    const exec: PodHandlers['exec'] = async (_pod, { stdin }) => {
      for await (const chunk of stdin ?? []) leave(decoder.decode(chunk));
      leave('left');
    };
    await using world = await worldWith({ handlers: { pods: { exec } } });
    const answer = await accepted(world, 'exec?command=x&stdin=true');
    answer.closed?.();
    expect(await left).toBe('left');
  });

  test.each<[string, string, string, number, string]>([
    ['no stream', 'exec?command=x', V5, 400, 'you must specify at least 1 of stdin, stdout, stderr'],
    ['another container', 'exec?container=c&stdout=1', V5, 400, 'container c is not valid for pod p'],
    [
      'an unknown protocol',
      'exec?stdout=1',
      'other',
      400,
      `unable to upgrade: the client must offer one of the subprotocols ${V5}, ${V4}, ${BASE64}`,
    ],
    ['a log', 'log', V5, 400, 'this subresource does not take a WebSocket'],
    ['a subresource that does not connect', 'status', V5, 400, 'only a watch can be upgraded to a WebSocket'],
  ])('refuses %s', async (_, target, protocol, code, message) => {
    await using world = await worldWith({ handlers: { pods: { exec: () => 0, log: () => '' } } });
    expect(await refusal(world, target, protocol)).toEqual([code, message]);
  });

  test('refuses a plain request', async () => {
    await using world = await worldWith({ handlers: { pods: { exec: () => 0 } } });
    const response = await ask(world.server, 'POST', path('exec?command=x&stdout=1'), { token: OWNER });
    expect([response.status, jsonOf(response)['message']]).toEqual([
      400,
      'Upgrade request required: this server connects over WebSocket only',
    ]);
  });

  test('needs permission for the subresource', async () => {
    const reader = { token: 'reader-of-pods-0123456789', user: { username: 'reader', groups: [] } };
    await using world = await worldWith({
      handlers: { pods: { exec: () => 0 } },
      authentication: { tokens: [reader] },
    });
    const [code, message] = await refusal(world, 'exec?stdout=1', V5, reader.token);
    expect(code).toBe(403);
    expect(message).toContain('User "reader" cannot get resource "pods/exec" in API group ""');
    const posted = await ask(world.server, 'POST', path('exec?stdout=1'), { token: reader.token });
    expect(jsonOf(posted)['message']).toContain('User "reader" cannot create resource "pods/exec"');
  });
});

test.each(['exec?stdout=1', 'attach?stdout=1', 'portforward?ports=80'])(
  'without a handler %s is refused, with the option that answers',
  async (target) => {
    await using world = await worldWith({});
    const name = target.slice(0, target.indexOf('?'));
    const option = name === 'portforward' ? 'portForward' : name;
    const message = `pods/${name} is not supported by this server: it runs no nodes; its owner can answer with the option handlers.pods.${option}`;
    expect(await refusal(world, target)).toEqual([501, message]);
    const plain = await ask(world.server, 'POST', path(target), { token: OWNER });
    expect([plain.status, jsonOf(plain)['message']]).toEqual([501, message]);
  },
);

test('a pod without a node has no streams', async () => {
  await using world = await worldWith({}, {});
  expect(await refusal(world, 'exec?stdout=1')).toEqual([400, 'pod p does not have a host assigned']);
});

test('attach is exec without a command', async () => {
  const attach: PodHandlers['attach'] = async ({ metadata }, { stdout }) => {
    await stdout?.write(`attached to ${metadata.name}`);
    return 2;
  };
  await using world = await worldWith({ handlers: { pods: { attach } } });
  const messages = await messagesOf(await accepted(world, 'attach?stdout=true'));
  expect(messages.slice(0, 2)).toEqual(['1:', '1:attached to p']);
  expect(messages[2]).toContain('"reason":"NonZeroExitCode"');
});

describe('portforward', () => {
  const portForward: PodHandlers['portForward'] = async (_pod, { port, data, write }) => {
    if (port === 81) throw new Error('no listener');
    for await (const chunk of data) {
      await write(`${port}:${decoder.decode(chunk)}`);
      return;
    }
  };

  test('has two channels for each port', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    await using world = await worldWith({ handlers: { pods: { portForward } } });
    const answer = await accepted(world, 'portforward?ports=80,81', V4);
    await answer.receive?.(frame(0, 'ping'));
    const messages = await messagesOf(answer);
    expect(messages.sort()).toEqual(
      ['0:P\u0000', '1:P\u0000', '0:80:ping', '2:Q\u0000', '3:Q\u0000', '3:error forwarding port 81 to pod p'].sort(),
    );
  });

  test.each([
    ['portforward', 'query parameter "ports" is required'],
    ['portforward?ports=http', 'invalid port "http"'],
    ['portforward?ports=0', 'invalid port "0"'],
  ])('%s is refused', async (target, message) => {
    await using world = await worldWith({ handlers: { pods: { portForward } } });
    expect(await refusal(world, target, V4)).toEqual([400, message]);
  });
});

describe('proxy', () => {
  const seen: ProxyRequest[] = [];
  const proxy = async (_object: unknown, request: ProxyRequest) => {
    seen.push(request);
    const body = decoder.decode(await request.body());
    return {
      status: 202,
      headers: { 'x-seen': 'yes' },
      body: `${request.method} ${request.path}?${request.query} ${body}`,
    };
  };
  const options = { handlers: { pods: { proxy }, services: { proxy }, nodes: { proxy } } };

  test.each<[string, string, string, Partial<ProxyRequest>]>([
    ['GET', '/api/v1/namespaces/default/pods/p/proxy', 'GET /? ', { port: undefined, scheme: undefined }],
    ['POST', '/api/v1/namespaces/default/pods/p:80/proxy/a/b?x=1', 'POST /a/b?x=1 body', { port: '80' }],
    ['DELETE', '/api/v1/namespaces/default/pods/p/proxy/a/', 'DELETE /a/? body', {}],
    [
      'PUT',
      '/api/v1/namespaces/default/services/https:s:web/proxy/x',
      'PUT /x? body',
      { scheme: 'https', port: 'web' },
    ],
    ['PATCH', '/api/v1/nodes/n/proxy/metrics', 'PATCH /metrics? body', {}],
  ])('%s %s', async (method, target, expected, fields) => {
    await using world = await worldWith(options);
    await world.client
      .resource(Service)
      .namespace('default')
      .create({ metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    await world.client.resource(Node).create({ metadata: { name: 'n' } });
    const response = await ask(world.server, method, target, {
      token: OWNER,
      headers: { 'x-own': '1' },
      ...(method === 'GET' ? {} : { body: 'body' }),
    });
    expect([response.status, response.headers['x-seen'], textOf(response)]).toEqual([202, 'yes', expected]);
    expect(seen.at(-1)).toMatchObject(fields);
    expect(seen.at(-1)?.headers).toMatchObject({ 'x-own': '1' });
    expect(seen.at(-1)?.headers['authorization']).toBeUndefined();
  });

  test('a streamed answer is passed on', async () => {
    async function* stream() {
      await Promise.resolve();
      yield encoder.encode('a');
      yield encoder.encode('b');
    }
    await using world = await worldWith({ handlers: { pods: { proxy: () => ({ body: stream() }) } } });
    const { body, status } = await ask(world.server, 'GET', path('proxy'), { token: OWNER });
    if (!isStream(body)) throw new Error('no stream');
    const chunks: string[] = [];
    for await (const chunk of body.stream) chunks.push(decoder.decode(chunk));
    expect([status, chunks]).toEqual([200, ['a', 'b']]);
  });

  test('without a handler it is refused', async () => {
    await using world = await worldWith({});
    const response = await ask(world.server, 'GET', path('proxy/x'), { token: OWNER });
    expect([response.status, jsonOf(response)['message']]).toEqual([
      501,
      'pods/proxy is not supported by this server: it runs no nodes; its owner can answer with the option handlers.pods.proxy',
    ]);
  });

  test('a service without endpoints is unavailable, and 501 only where there is an address', async () => {
    await using world = await worldWith({});
    const services = world.client.resource(Service).namespace('default');
    const ports = [{ name: 'web', port: 80 }];
    const refused = async (name: string): Promise<unknown> => {
      const target = `/api/v1/namespaces/default/services/${name}/proxy/x`;
      const response = await ask(world.server, 'GET', target, { token: OWNER });
      return [response.status, jsonOf(response)['reason'], jsonOf(response)['message']];
    };
    const none = [503, 'ServiceUnavailable', 'no endpoints available for service "s"'];
    await services.create({ metadata: { name: 'bare' }, spec: { ports } });
    expect(await refused('bare:web')).toEqual([404, 'NotFound', 'endpoints "bare" not found']);
    await services.create({ metadata: { name: 's' }, spec: { selector: { app: 's' }, ports } });
    expect(await refused('s:web')).toEqual(none);
    const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'web', port: 8080 }] }];
    await world.client
      .resource(Endpoints)
      .namespace('default')
      .create({ metadata: { name: 's' }, subsets });
    expect(await refused('s:81')).toEqual([...[503, 'ServiceUnavailable', 'no service port 81 found for service "s"']]);
    expect(await refused('s:other')).toEqual(none);
    expect(await refused('https:s:80')).toEqual(expect.arrayContaining([501, 'NotImplemented']));
    expect(await refused('s:web')).toEqual(expect.arrayContaining([501, 'NotImplemented']));
  });

  test('a wrong name is refused', async () => {
    await using world = await worldWith(options);
    const response = await ask(world.server, 'GET', '/api/v1/namespaces/default/pods/ftp:p:1/proxy', { token: OWNER });
    expect([response.status, jsonOf(response)['message']]).toEqual([400, 'invalid pod request "ftp:p:1"']);
  });

  test('a path after another subresource is not found', async () => {
    await using world = await worldWith(options);
    for (const rest of ['log/x', 'exec/x', 'status/x'])
      expect((await ask(world.server, 'GET', path(rest), { token: OWNER })).status).toBe(404);
  });
});

test('discovery lists the subresources with the kinds of their options', async () => {
  await using world = await startWorld();
  const list = jsonOf(await ask(world.server, 'GET', '/api/v1', { token: OWNER })) as {
    resources: { name: string; kind: string; verbs: string[] }[];
  };
  const rows = list.resources
    .filter(({ name }) => /^(nodes|pods|services)\/(?!status)/.test(name))
    .map(({ name, kind, verbs }) => `${name} ${kind} ${verbs.join(',')}`);
  expect(rows).toEqual([
    'nodes/proxy NodeProxyOptions create,delete,get,patch,update',
    'pods/attach PodAttachOptions create,get',
    'pods/binding Binding create',
    'pods/ephemeralcontainers Pod get,patch,update',
    'pods/eviction Eviction create',
    'pods/exec PodExecOptions create,get',
    'pods/log Pod get',
    'pods/portforward PodPortForwardOptions create,get',
    'pods/proxy PodProxyOptions create,delete,get,patch,update',
    'services/proxy ServiceProxyOptions create,delete,get,patch,update',
  ]);
});
