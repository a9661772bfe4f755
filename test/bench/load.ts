import { fork, type ChildProcess } from 'node:child_process';
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

/**
 * Sends requests over `connections` connections, each as soon as the connection has received the answer before;
 * returns the size of the last answer's body, in bytes.
 */
export function loadRequests(
  port: number,
  requests: readonly Buffer[],
  connections: number,
  open: Open = (to) => connect(to, '127.0.0.1'),
): Promise<number> {
  let sent = 0;
  let isOpen = connections;
  let lastLength = 0;
  return new Promise((resolve, reject) => {
    const done = (socket: Socket): void => {
      socket.destroy();
      isOpen -= 1;
      if (isOpen === 0) resolve(lastLength);
    };
    for (let index = 0; index < connections; index += 1) {
      const socket = open(port);
      socket.setNoDelay(true);
      socket.on('error', reject);
      let missing = -1;
      const next = (): void => {
        const request = requests[sent];
        if (request === undefined) return done(socket);
        sent += 1;
        missing = -1;
        socket.write(request);
      };
      socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', next);
      socket.on('data', (chunk: Buffer) => {
        if (missing < 0) {
          const end = chunk.indexOf(END_OF_HEAD);
          const head = chunk.toString('latin1', 0, end);
          if (end < 0 || !head.startsWith('HTTP/1.1 20'))
            return reject(new Error(`unexpected answer: ${chunk.toString('latin1', 0, 200)}`));
          lastLength = Number(/content-length: (\d+)/i.exec(head)?.[1]);
          missing = lastLength - (chunk.length - end - END_OF_HEAD.length);
        } else missing -= chunk.length;
        if (missing === 0) next();
      });
    }
  });
}
