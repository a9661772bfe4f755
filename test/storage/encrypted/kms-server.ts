/** A small key service over a Unix socket: gRPC by `node:http2`, with a key for each key id. */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';

const NONCE = Buffer.alloc(12, 7);

/** A method of the service. */
export type KmsMethod = 'Status' | 'Encrypt' | 'Decrypt';

/** The fields of a message whose fields are all bytes. */
function fieldsOf(message: Buffer): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const varint = (): number => {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = message[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
      shift += 7;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const length = varint();
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), message.subarray(at, at + length)]);
    at += length;
  }
  return fields;
}

/** Encodes a message of bytes. */
export function messageOf(...fields: readonly (readonly [number, Buffer | string])[]): Buffer {
  const varint = (value: number): number[] => (value < 0x80 ? [value] : [(value % 128) | 0x80, ...varint(value >> 7)]);
  return Buffer.concat(
    fields.flatMap(([field, value]) => {
      const bytes = Buffer.from(value);
      return [Buffer.from([...varint(field * 8 + 2), ...varint(bytes.length)]), bytes];
    }),
  );
}

/** The service. Its key is replaced by setting {@link KmsServer.keyId}. */
export class KmsServer {
  keyId = 'key-1';
  /** The key id that `Encrypt` answers. Default: the current one. */
  encryptKeyId: string | undefined;
  healthz = 'ok';
  version = 'v2';
  annotation: readonly [string, string] | undefined = ['nonce.kms.example', 'one'];
  /** How methods answer instead: with an error of gRPC, or never. */
  readonly faults = new Map<KmsMethod, { readonly code: number; readonly message: string } | 'hang'>();
  /** Sends the answers of methods in their place. */
  readonly attacks = new Map<KmsMethod, (stream: ServerHttp2Stream) => void>();
  readonly calls: KmsMethod[] = [];
  readonly #path: string;
  readonly #sessions = new Set<ServerHttp2Session>();
  #waiting: { readonly method: KmsMethod; resolve(): void }[] = [];
  #server: Http2Server | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The provider of a configuration. */
  provider(name = 'vault', timeout?: string): { kms: Record<string, string> } {
    return {
      kms: { apiVersion: 'v2', name, endpoint: `unix://${this.#path}`, ...(timeout === undefined ? {} : { timeout }) },
    };
  }

  count(method: KmsMethod): number {
    return this.calls.filter((each) => each === method).length;
  }

  /** Resolves when a method is called next. */
  next(method: KmsMethod): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ method, resolve }));
  }

  /** Decrypts as the service does. */
  decrypted(data: Buffer, keyId: string): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(keyId), NONCE);
    decipher.setAuthTag(data.subarray(-16));
    return Buffer.concat([decipher.update(data.subarray(0, -16)), decipher.final()]);
  }

  async start(): Promise<this> {
    const server = createServer();
    server.on('session', (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.on('error', () => undefined);
      session.on('close', () => this.#sessions.delete(session));
    });
    server.on('stream', (stream: ServerHttp2Stream, headers) => {
      const [, service, method] = String(headers[':path']).split('/');
      const chunks: Buffer[] = [];
      stream.on('error', () => undefined);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (service !== 'v2.KeyManagementService') return stream.close();
        this.#answer(stream, method as KmsMethod, fieldsOf(Buffer.concat(chunks).subarray(5)));
      });
    });
    server.listen(this.#path);
    await once(server, 'listening');
    this.#server = server;
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    for (const session of this.#sessions) session.destroy();
    await closed;
  }

  #answer(stream: ServerHttp2Stream, method: KmsMethod, request: Map<number, Buffer[]>): void {
    this.calls.push(method);
    const woken = this.#waiting.filter((each) => each.method === method);
    this.#waiting = this.#waiting.filter((each) => each.method !== method);
    for (const { resolve } of woken) resolve();
    const fault = this.faults.get(method);
    if (fault === 'hang') return;
    const headers = { ':status': 200, 'content-type': 'application/grpc' };
    if (fault !== undefined)
      return stream.respond(
        { ...headers, 'grpc-status': String(fault.code), 'grpc-message': encodeURIComponent(fault.message) },
        { endStream: true },
      );
    const attack = this.attacks.get(method);
    if (attack !== undefined) {
      stream.respond(headers);
      return attack(stream);
    }
    const message = this.#messageOf(method, request);
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(message.length, 1);
    stream.respond(headers, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.concat([frame, message]));
  }

  #messageOf(method: KmsMethod, request: Map<number, Buffer[]>): Buffer {
    const bytes = (field: number): Buffer => request.get(field)?.[0] ?? Buffer.alloc(0);
    if (method === 'Status') return messageOf([1, this.version], [2, this.healthz], [3, this.keyId]);
    if (method === 'Encrypt') {
      const keyId = this.encryptKeyId ?? this.keyId;
      const cipher = createCipheriv('aes-256-gcm', keyOf(keyId), NONCE);
      const data = Buffer.concat([cipher.update(bytes(1)), cipher.final(), cipher.getAuthTag()]);
      const { annotation } = this;
      return messageOf(
        [1, data],
        [2, keyId],
        ...(annotation === undefined ? [] : [[3, messageOf([1, annotation[0]], [2, annotation[1]])] as const]),
      );
    }
    return messageOf([1, this.decrypted(bytes(1), bytes(3).toString())]);
  }
}

const keyOf = (keyId: string): Buffer => createHash('sha256').update(keyId).digest();
