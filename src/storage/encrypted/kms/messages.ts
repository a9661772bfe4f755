/**
 * The messages of the gRPC service `v2.KeyManagementService`.
 *
 * Source: `kms/apis/v2/api.proto` of release 1.31.
 *
 * @module
 */
import { decodeMessage, type MessageReader } from '../../etcd/wire/message-reader.js';
import { MessageWriter } from '../../etcd/wire/message-writer.js';

/** Annotations of an encrypted seed, which only the key service understands. */
export type Annotations = ReadonlyMap<string, Uint8Array>;

/** The answer of `Status`. */
export interface KmsStatus {
  readonly version: string;
  readonly healthz: string;
  readonly keyId: string;
}

/** The answer of `Encrypt`. */
export interface EncryptedSeed {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: Annotations;
}

/** The empty request of `Status`. */
export const statusRequest = (): Uint8Array => new MessageWriter().finish();

/** @throws Error when the message is malformed */
export function decodeStatus(bytes: Buffer): KmsStatus {
  return decodeMessage(bytes, (reader) => {
    let [version, healthz, keyId] = ['', '', ''];
    for (let field = reader.next(); field !== 0; field = reader.next())
      if (field === 1) version = reader.string();
      else if (field === 2) healthz = reader.string();
      else if (field === 3) keyId = reader.string();
      else reader.skip();
    return { version, healthz, keyId };
  });
}

/** Encodes the request of `Encrypt`. */
export const encryptRequest = (plaintext: Uint8Array, uid: string): Uint8Array =>
  new MessageWriter().text(2, uid).bytes(1, plaintext).finish();

/** @throws Error when the message is malformed */
export function decodeEncrypted(bytes: Buffer): EncryptedSeed {
  return decodeMessage(bytes, (reader) => {
    let ciphertext = Buffer.alloc(0);
    let keyId = '';
    const annotations = new Map<string, Uint8Array>();
    for (let field = reader.next(); field !== 0; field = reader.next())
      if (field === 1) ciphertext = copied(reader);
      else if (field === 2) keyId = reader.string();
      else if (field === 3) readAnnotation(reader, annotations);
      else reader.skip();
    return { ciphertext, keyId, annotations };
  });
}

/** Encodes the request of `Decrypt`. */
export function decryptRequest({ ciphertext, keyId, annotations }: EncryptedSeed, uid: string): Uint8Array {
  const writer = new MessageWriter();
  writeAnnotations(writer, 4, annotations);
  return writer.text(3, keyId).text(2, uid).bytes(1, ciphertext).finish();
}

/** Returns the plaintext of the answer of `Decrypt`. @throws Error when the message is malformed */
export function decodeDecrypted(bytes: Buffer): Buffer {
  return decodeMessage(bytes, (reader) => {
    let plaintext = Buffer.alloc(0);
    for (let field = reader.next(); field !== 0; field = reader.next())
      if (field === 1) plaintext = copied(reader);
      else reader.skip();
    return plaintext;
  });
}

/** Writes a map of annotations, sorted, so that equal ones have equal bytes. */
export function writeAnnotations(writer: MessageWriter, field: number, annotations: Annotations): void {
  for (const key of [...annotations.keys()].sort().reverse())
    writer.message(field, (entry) => entry.bytes(2, annotations.get(key) ?? new Uint8Array()).text(1, key));
}

/** Reads an entry of a map of annotations. */
export function readAnnotation(reader: MessageReader, into: Map<string, Uint8Array>): void {
  const entry = reader.message();
  let key = '';
  let value = Buffer.alloc(0);
  for (let field = entry.next(); field !== 0; field = entry.next())
    if (field === 1) key = entry.string();
    else if (field === 2) value = copied(entry);
    else entry.skip();
  into.set(key, value);
}

/** Copies bytes, which would otherwise keep the whole message in memory. */
const copied = (reader: MessageReader): Buffer<ArrayBuffer> => Buffer.from(reader.bytes());
