import { once } from 'node:events';
import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { frameOf, FrameReader } from '../../../src/storage/etcd/rpc/frames.js';
import { MessageWriter } from '../../../src/storage/etcd/wire/message-writer.js';

/** The answer of a {@link FakeMember} to a call: a message, or an error. */
export type Answer = Uint8Array | { readonly code: number; readonly message: string };
/** A watch stream, as seen by the member. */
export interface FakeWatch {
  readonly headers: IncomingHttpHeaders;
  /** Requests so far. */
  readonly requests: Buffer[];
  send(message: Uint8Array): void;
  /** Resolves when that many requests have arrived. */
  requested(count: number): Promise<void>;
}

/** Writes the header of an answer. */
export const header =
  (revision: number, clusterId = 7n) =>
  (writer: MessageWriter): void => {
    writer.integer(3, revision).integer(1, clusterId);
  };

/** A member that behaves as a test requires, where a real one would not, or not in time. */
export class FakeMember {
  readonly url: string;
  readonly watches: FakeWatch[] = [];
  readonly calls: string[] = [];
  /** The deadline that each call announced. */
  readonly timeouts: string[] = [];
  version = '3.5.21';
  revision = 10;
  /** Answers further calls. */
  answer: (path: string, message: Buffer, stream: ServerHttp2Stream) => Answer | 'none' | undefined = () => undefined;
  readonly #server: Http2Server;
  readonly #sessions = new Set<{ destroy(): void }>();
  #onWatch: () => void = () => undefined;

  private constructor(server: Http2Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('session', (session) => this.#sessions.add(session));
    server.on('stream', (stream, headers) => this.#serve(stream, headers));
  }

  static async start(): Promise<FakeMember> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeMember(server);
  }

  /** The watch with this index, from 0. */
  async watch(index: number): Promise<FakeWatch> {
    for (;;) {
      const watch = this.watches[index];
      if (watch !== undefined) return watch;
      await new Promise<void>((resolve) => {
        this.#onWatch = resolve;
      });
    }
  }

  /** Closes every connection. */
  cut(): void {
    // Not while Node reads from one of them, as when a call is the reason.
    for (const session of this.#sessions) setImmediate(() => session.destroy());
    this.#sessions.clear();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const path = headers[':path'] ?? '';
    stream.on('error', () => undefined);
    if (path.endsWith('/Watch')) return this.#serveWatch(stream, headers);
    const reader = new FrameReader();
    stream.on('data', (chunk: Buffer) => {
      for (const message of reader.take(chunk)) {
        this.calls.push(path);
        this.timeouts.push(String(headers['grpc-timeout']));
        const answer = this.answer(path, message, stream) ?? this.#usual(path);
        if (answer !== 'none') finish(stream, answer);
      }
    });
  }

  #usual(path: string): Answer {
    if (path.endsWith('/Status'))
      return new MessageWriter().message(1, header(this.revision)).text(2, this.version).finish();
    return new MessageWriter().message(1, header(this.revision)).finish();
  }

  #serveWatch(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const reader = new FrameReader();
    const requests: Buffer[] = [];
    let onRequest: () => void = () => undefined;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
    stream.on('data', (chunk: Buffer) => {
      requests.push(...reader.take(chunk));
      onRequest();
    });
    this.watches.push({
      headers,
      requests,
      send: (message) => void stream.write(frameOf(message)),
      async requested(count) {
        while (requests.length < count) {
          await new Promise<void>((resolve) => {
            onRequest = resolve;
          });
        }
      },
    });
    this.#onWatch();
  }
}

function finish(stream: ServerHttp2Stream, answer: Answer): void {
  if (!(answer instanceof Uint8Array)) {
    stream.respond(
      {
        ':status': 200,
        'content-type': 'application/grpc',
        'grpc-status': String(answer.code),
        'grpc-message': encodeURIComponent(answer.message),
      },
      { endStream: true },
    );
    return;
  }
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(frameOf(answer));
}
