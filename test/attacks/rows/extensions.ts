/** Answers of an API server that the attacker runs, to which this one passes requests on. */
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { connect } from 'node:net';
import { ExtensionServer, type Extension } from '../extension-server.js';
import { GROUP } from '../kinds.js';
import type { Answer, Flood, Row } from '../row.js';
import { nested, once, repeated } from '../texts.js';
import { TOKENS } from '../users.js';
import type { World } from '../world.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const PATH = `/apis/${GROUP}/v9/namespaces/attack/things`;
/** Duration of attacks that answer nothing, in milliseconds. */
const DURATION_MS = 4_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs an attack while the server of the attacker answers for some versions. */
async function beside(
  world: World,
  extension: Extension,
  versions: readonly string[],
  run: () => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  const server = await ExtensionServer.start(extension);
  try {
    await server.register(world, versions);
    return await run();
  } finally {
    server.stop();
  }
}

/** Requests of a user that are passed on. */
const passedOn = (
  name: string,
  answer: NonNullable<Extension['answer']>,
  flood: Omit<Flood, 'request'>,
  rest: Partial<Row> = {},
): Row => ({
  ...{ name, rights: 'view', statuses: [0, 200, 502, 503, 504] },
  sends: (world, signal) =>
    beside(world, { answer }, ['v9'], () =>
      world
        .as('view')
        .until(signal)
        .flood({ request: { method: 'GET', path: PATH }, ...flood }),
    ),
  ...rest,
});

/** Writes a head by hand, since Node would refuse it. */
const byHand = (response: ServerResponse, head: string): void => {
  response.socket?.end(head, 'latin1');
};

/** Writes a text again and again, as fast as it is read. */
function endlessly(response: Writable, text: string): void {
  let isOver = false;
  response.on('close', () => (isOver = true));
  const write = (): void => {
    while (!isOver && response.write(text));
  };
  response.on('drain', write);
  write();
}

const ANSWERS: readonly Row[] = [
  passedOn(
    '200 answers of single bytes',
    (_, response) => {
      const timer = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(timer));
      setTimeout(() => response.end(), DURATION_MS);
    },
    { times: 200 },
  ),
  passedOn(
    '100 answers without an end, which nobody reads',
    (_, response) => endlessly(response, 'x'.repeat(64 * KIB)),
    {
      ...{ times: 100, reading: 'unread' },
    },
  ),
  passedOn('8 answers without an end, which are read', (_, response) => endlessly(response, 'x'.repeat(64 * KIB)), {
    ...{ times: 8, reading: 'stream' },
  }),
  ...[4, 16].map((times) =>
    passedOn(
      `${times} answers in 200,000 pieces of a byte`,
      (_, response) => {
        for (let at = 0; at < 200_000; at += 1) response.write('x');
        response.end();
      },
      { times },
    ),
  ),
  passedOn(
    '500 answers with many fields',
    (_, response) => {
      for (let at = 0; at < 400; at += 1) response.setHeader(`x-field-${at}`, 'some value');
      response.end('{}');
    },
    { times: 500, atOnce: 50 },
  ),
  passedOn(
    '100 answers with fields beyond the limit',
    (_, response) => {
      byHand(response, `HTTP/1.1 200 OK\r\n${'x-field: some value\r\n'.repeat(20_000)}\r\n`);
    },
    { times: 100 },
  ),
  passedOn(
    '20 heads that do not end',
    (_, response) => {
      const timer = setInterval(() => response.socket?.write('x-field: some value\r\n'), 5);
      response.socket?.on('close', () => clearInterval(timer));
      response.socket?.write('HTTP/1.1 200 OK\r\n');
      setTimeout(() => response.socket?.destroy(), DURATION_MS);
    },
    { times: 20 },
  ),
  passedOn(
    'interim answers before an answer',
    (_, response) => {
      byHand(
        response,
        `${'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n'.repeat(20_000)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`,
      );
    },
    { times: 20 },
  ),
  ...['\r\n\tset-cookie: a=b', '\rset-cookie: a=b', '\0', '\n\nHTTP/1.1 200 OK', '\u00ff\u0080'].map((split, index) =>
    passedOn(
      `fields that split an answer, form ${index + 1}`,
      (_, response) => {
        byHand(response, `HTTP/1.1 200 OK\r\nx-a: b${split}\r\ncontent-length: 2\r\n\r\n{}`);
      },
      { times: 100 },
    ),
  ),
  passedOn(
    'redirects to an address of the machine',
    (_, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end('moved');
    },
    { times: 200 },
    { statuses: [502], says: /which is not permitted/ },
  ),
  passedOn('connections that end without an answer', (_, response) => void response.socket?.destroy(), {
    ...{ times: 500, atOnce: 100 },
  }),
];

const VERSIONS = Array.from({ length: 10 }, (_, index) => `v${index + 1}`);

/** Documents that the server reads by itself. */
const documents = (name: string, text: () => string, type = 'application/json'): Row => {
  const body = once(text);
  const document = (_path: string, response: ServerResponse): void => {
    response.setHeader('content-type', type);
    response.end(body());
  };
  return {
    ...{ name: `documents ${name}, of ten versions`, rights: 'view', statuses: [0, 200] },
    sends: (world, signal) =>
      beside(world, { document }, VERSIONS, async () => {
        // A change of the versions lets the server read them again.
        for (const version of VERSIONS)
          await world.owner.must({
            ...{ method: 'PATCH', path: `/apis/apiregistration.k8s.io/v1/apiservices/${version}.${GROUP}` },
            ...{ type: 'application/merge-patch+json', body: '{"spec":{"versionPriority":16}}' },
          });
        await pause(DURATION_MS);
        return world
          .as('view')
          .until(signal)
          .flood({ request: { method: 'GET', path: '/apis' }, times: 20 });
      }),
    keepsMb: 24,
  };
};

const entries = (count: number, name: (index: number) => string): string =>
  `{"resources":[${Array.from({ length: count }, (_, i) => `{"name":"${name(i)}","kind":"A","verbs":["get"]}`).join(',')}]}`;

const DOCUMENTS: readonly Row[] = [
  documents('of lists in lists', () => `{"resources":[${repeated('[[0]],', MIB - 100)}0]}`),
  documents('of empty objects', () => `{"resources":[${repeated('{},', MIB - 100)}{}]}`),
  documents('nested 100,000 deep', () => `{"resources":${nested('[', '0', ']', 100_000)}}`),
  documents('with subresources of one resource', () => entries(9_000, (index) => `things/s${index}`)),
  documents('with many resources', () => entries(9_000, (index) => `things${index}`)),
  documents('of 100 MB', () => `{"resources":["${'a'.repeat(100 * MIB)}"]}`),
  documents('that are not JSON', () => `<html>${'<p>'.repeat(300_000)}`),
  documents('of another type', () => entries(100, (index) => `things${index}`), 'x'.repeat(8_000)),
];

/** The head of a request for a WebSocket. */
const HANDSHAKE =
  `GET ${PATH}?watch=1 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKENS.view}\r\nconnection: upgrade\r\n` +
  'upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
const ACCEPTED = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n';

const sockets = (name: string, count: number, isRead: boolean, upgrade: NonNullable<Extension['upgrade']>): Row => ({
  ...{ name: `${count} WebSockets ${name}`, rights: 'view', statuses: [0] },
  sends: (world) =>
    beside(world, { upgrade }, ['v9'], async () => {
      const { hostname, port } = new URL(world.urls.plain);
      const opened = Array.from({ length: count }, () => connect(Number(port), hostname).on('error', () => undefined));
      for (const socket of opened) {
        socket.write(HANDSHAKE);
        if (isRead) socket.resume();
      }
      await pause(DURATION_MS);
      for (const socket of opened) socket.destroy();
      return opened.map(() => ({ status: 0, text: '', bytes: 0 }));
    }),
});

const SOCKETS: readonly Row[] = [
  sockets('that are flooded and read', 20, true, (socket) => {
    socket.write(ACCEPTED);
    endlessly(socket, 'x'.repeat(64 * KIB));
  }),
  sockets('that are flooded and not read', 200, false, (socket) => {
    socket.write(ACCEPTED);
    endlessly(socket, 'x'.repeat(64 * KIB));
  }),
  sockets('of single bytes', 200, true, (socket) => {
    socket.write(ACCEPTED);
    const timer = setInterval(() => socket.write('x'), 1);
    socket.on('close', () => clearInterval(timer));
  }),
  sockets('whose handshake is not answered', 500, true, () => undefined),
  sockets('that are refused without an end', 100, true, (socket) => {
    socket.write('HTTP/1.1 403 Forbidden\r\n\r\n');
    endlessly(socket, 'x'.repeat(KIB));
  }),
];

/** The rows. Charges are not judged: the owner registers the server of the attacker within the attack. */
export const extensions: readonly Row[] = [...ANSWERS, ...DOCUMENTS, ...SOCKETS].map((row) => ({
  ...row,
  byControllers: true,
}));
