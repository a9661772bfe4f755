/** Bodies in the wire format of protobuf, written by hand: attackers are not bound by a schema. */

/** A varint. */
export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  while (left >= 128) {
    bytes.push((left % 128) | 128);
    left = Math.floor(left / 128);
  }
  return Uint8Array.from([...bytes, left]);
}

/** A field with a text or a message. */
export function field(number: number, value: string | Uint8Array): Uint8Array {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

/** A field repeated up to some bytes. */
export function fields(make: (index: number) => Uint8Array, bytes: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let index = 0, left = bytes; left > 0; index += 1) {
    const part = make(index);
    parts.push(part);
    left -= part.length;
  }
  return Buffer.concat(parts);
}

/** A message around an object, as Kubernetes sends it: magic bytes, type and object. */
export function unknownMessage(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const type = Buffer.concat([field(1, apiVersion), field(2, kind)]);
  return Buffer.concat([Buffer.from('k8s\0', 'latin1'), field(1, type), field(2, raw)]);
}

/** Media type of these bodies. */
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
