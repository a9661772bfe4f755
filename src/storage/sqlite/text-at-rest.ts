import type { PlainValue, ValueCodec } from '../encrypted/value-codec.js';
import { stampedText } from '../remote/stamp.js';
import type { StorageRecord } from '../storage.js';
import type { Version } from './version-rows.js';

/** Returns the text of a record as the file contains it, and notes in the record what protects it. */
export function encodedAtRest(record: StorageRecord, codec: ValueCodec): string {
  const { key, text } = record;
  if (codec.protectionOf(key) === undefined) return codec.encode(key, text).stored;
  // The cipher is independent of revisions, so that a copy with others needs no keys.
  const { stored, protection } = codec.encode(key, stampedText(Buffer.from(text), 0) ?? text);
  record.protection = protection;
  return stored;
}

/** Returns the text of a version as readers see it. @throws UnreadableValueError */
export function decodedAtRest(
  { key, text, revision }: Pick<Version, 'key' | 'text' | 'revision'>,
  codec: ValueCodec,
): PlainValue {
  const plain = codec.decode(key, text);
  return plain.protection === undefined
    ? plain
    : { ...plain, text: stampedText(Buffer.from(plain.text), revision) ?? plain.text };
}
