import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** A server in a separate process, with its CPU time on demand. */
export interface BenchServer {
  readonly port: number;
  readonly process: ChildProcess;
  /** CPU time that the server's process has used, in microseconds. */
  cpuUs(): Promise<number>;
  stop(): void;
}

function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`the server ended with code ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as Message);
    });
  });
}

/** Starts one of the scripts in `servers/`. */
export async function startServer(script: string, ...args: readonly string[]): Promise<BenchServer> {
  const child = fork(new URL(`servers/${script}`, import.meta.url), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const { url } = await nextMessage<{ url: string }>(child);
  return {
    port: Number(new URL(url).port),
    process: child,
    async cpuUs() {
      const answer = nextMessage<{ cpu: NodeJS.CpuUsage }>(child);
      child.send({});
      const { cpu } = await answer;
      return cpu.user + cpu.system;
    },
    stop: () => void child.kill(),
  };
}

/** Opens a connection to a port of this machine. */
export type Open = (port: number) => Socket;

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Keeps `connections` connections busy with one request until `requests` were answered; returns the size of the last
 * answer's body, in bytes.
 */
export function load(
  port: number,
  path: string,
  requests: number,
  connections: number,
  token = 'bench',
): Promise<number> {
  const request = Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/json\r\nAuthorization: Bearer ${token}\r\nUser-Agent: bench/1\r\n\r\n`,
  );
  return loadRequests(port, new Array<Buffer>(requests).fill(request), connections);
}

/** Sends requests over `connections` connections, and closes them. @returns the size of the last answer's body, in bytes */
export async function loadRequests(
  port: number,
  requests: readonly Buffer[],
  connections: number,
  open?: Open,
): Promise<number> {
  const opened = await openConnections(port, connections, open);
  const length = await opened.send(requests);
  opened.close();
  return length;
}

/** Open connections to a server. */
export interface Connections {
  /**
   * Sends requests, each as soon as a connection has received the answer before.
   *
   * @returns the size of the last answer's body, in bytes
   */
  send(requests: readonly Buffer[]): Promise<number>;
  close(): void;
}

/** Opens connections, with their handshakes. */
export async function openConnections(
  port: number,
  count: number,
  open: Open = (to) => connect(to, '127.0.0.1'),
): Promise<Connections> {
  const opened = await Promise.all(Array.from({ length: count }, () => openConnection(port, open)));
  return {
    async send(requests) {
      let next = 0;
      const lengths = await Promise.all(
        opened.map(async ({ ask }) => {
          let length = 0;
          while (next < requests.length) length = await ask(requests[next++] as Buffer);
          return length;
        }),
      );
      return Math.max(...lengths);
    },
    close: () => {
      for (const { socket } of opened) socket.destroy();
    },
  };
}

interface Connection {
  readonly socket: Socket;
  /** Sends a request, and returns the size of the body of its answer, in bytes. */
  ask(request: Buffer): Promise<number>;
}

async function openConnection(port: number, open: Open): Promise<Connection> {
  const socket = open(port);
  socket.setNoDelay(true);
  await once(socket, socket instanceof TLSSocket ? 'secureConnect' : 'connect');
  let answered = (_length: number): void => undefined;
  let failed = (_error: Error): void => undefined;
  let length = 0;
  let missing = -1;
  socket.on('error', (error) => failed(error));
  socket.on('close', () => failed(new Error('the server closed the connection')));
  socket.on('data', (chunk: Buffer) => {
    if (missing < 0) {
      const end = chunk.indexOf(END_OF_HEAD);
      const head = chunk.toString('latin1', 0, end);
      if (end < 0 || !head.startsWith('HTTP/1.1 20'))
        return failed(new Error(`unexpected answer: ${chunk.toString('latin1', 0, 200)}`));
      length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      missing = length - (chunk.length - end - END_OF_HEAD.length);
    } else missing -= chunk.length;
    if (missing === 0) {
      missing = -1;
      answered(length);
    }
  });
  return {
    socket,
    ask: (request) =>
      new Promise((resolve, reject) => {
        [answered, failed] = [resolve, reject];
        socket.write(request);
      }),
  };
}
