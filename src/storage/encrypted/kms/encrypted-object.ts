import { createHash } from 'node:crypto';
import { goQuote } from '../../../foundation/index.js';
import { decodeMessage } from '../../etcd/wire/message-reader.js';
import { MessageWriter } from '../../etcd/wire/message-writer.js';
import { readAnnotation, writeAnnotations, type EncryptedSeed } from './messages.js';

/** The kinds of the encrypted source of a data key. */
export const SourceType = { key: 0, seed: 1 } as const;

/** The encrypted source of data keys: a seed, or in old values a key. */
export interface EncryptedSource extends EncryptedSeed {
  readonly type: number;
}

/** An encrypted value with the source of its key: what follows the prefix in the store. */
export interface EncryptedObject {
  readonly data: Buffer;
  readonly source: EncryptedSource;
}

const MAX_KEY_ID = 1024;
const MAX_SOURCE = 1024;
const MAX_ANNOTATIONS = 32 * 1024;
/** Lower-case labels separated by dots, at least two, with an optional dot at the end. */
const DOMAIN = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)+\.?$/;
const MAX_DOMAIN = 253;

/** Returns the bytes of an encrypted object (`EncryptedObject` of `kmsv2/v2/api.proto`). @throws Error when it is invalid */
export function encodeObject({ data, source }: EncryptedObject): Buffer {
  validateSource(source);
  const writer = new MessageWriter().integer(5, source.type);
  writeAnnotations(writer, 4, source.annotations);
  return Buffer.from(writer.bytes(3, source.ciphertext).text(2, source.keyId).bytes(1, data).finish());
}

/** @throws Error when the bytes are malformed, or the object is invalid */
export function decodeObject(bytes: Buffer): EncryptedObject {
  const object = decodeMessage(bytes, (reader) => {
    let data = Buffer.alloc(0);
    let keyId = '';
    let ciphertext = Buffer.alloc(0);
    let type = 0;
    const annotations = new Map<string, Uint8Array>();
    for (let field = reader.next(); field !== 0; field = reader.next())
      if (field === 1) data = Buffer.from(reader.bytes());
      else if (field === 2) keyId = reader.string();
      else if (field === 3) ciphertext = Buffer.from(reader.bytes());
      else if (field === 4) readAnnotation(reader, annotations);
      else if (field === 5) type = reader.int32();
      else reader.skip();
    return { data, source: { type, keyId, ciphertext, annotations } };
  });
  const { type } = object.source;
  if (type !== SourceType.key && type !== SourceType.seed) throw new Error(`unknown encryptedDEKSourceType: ${type}`);
  if (object.data.length === 0) throw new Error('encrypted data is empty');
  validateSource(object.source);
  return object;
}

/** Checks the limits of a source. @throws Error in the words of Kubernetes */
export function validateSource({ ciphertext, keyId, annotations }: EncryptedSeed): void {
  const source = 'failed to validate encrypted DEK source: encrypted DEK source is';
  if (ciphertext.length === 0) throw new Error(`${source} empty`);
  if (ciphertext.length > MAX_SOURCE)
    throw new Error(`${source} ${ciphertext.length} bytes, which exceeds the max size of ${MAX_SOURCE}`);
  const problem = problemOfKeyId(keyId);
  if (problem !== undefined) throw new Error(`failed to validate key id: ${problem.message}`);
  validateAnnotations(annotations);
}

/** Returns what is wrong with a key id, with its name in metrics; undefined when it is valid. */
export function problemOfKeyId(keyId: string): { readonly code: string; readonly message: string } | undefined {
  const length = Buffer.byteLength(keyId);
  if (length === 0) return { code: 'empty', message: 'keyID is empty' };
  if (length <= MAX_KEY_ID) return undefined;
  return { code: 'too_long', message: `keyID is ${length} bytes, which exceeds the max size of ${MAX_KEY_ID}` };
}

function validateAnnotations(annotations: EncryptedSeed['annotations']): void {
  let size = 0;
  for (const [key, value] of annotations) {
    if (key.length > MAX_DOMAIN || !DOMAIN.test(key))
      throw new Error(
        `failed to validate annotations: annotations: Invalid value: ${goQuote(key)}: should be a domain with at least two segments separated by dots`,
      );
    size += Buffer.byteLength(key) + value.length;
  }
  if (size > MAX_ANNOTATIONS)
    throw new Error(
      `failed to validate annotations: total size of annotations is ${size}, which exceeds the max size of ${MAX_ANNOTATIONS}`,
    );
}

/** Identifies a source in memory: every part of it, each with its length. */
export function sourceIdOf({ type, ciphertext, keyId, annotations }: EncryptedSource): string {
  const hash = createHash('sha256');
  const add = (part: string | Uint8Array): void => {
    const bytes = Buffer.from(part);
    hash.update(`${bytes.length}:`).update(bytes);
  };
  add(String(type));
  add(ciphertext);
  add(keyId);
  for (const key of [...annotations.keys()].sort()) {
    add(key);
    add(annotations.get(key) ?? '');
  }
  return hash.digest('base64');
}

/** Returns a text as Kubernetes shows it in messages and metrics: its hash; empty for an empty text. */
export const hashIfNotEmpty = (text: string): string =>
  text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;
