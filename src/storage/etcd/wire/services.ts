/**
 * The messages of etcd's lease, authentication and maintenance services that the engine uses.
 *
 * @module
 */
import { decodeMessage, type MessageReader } from './message-reader.js';
import { MessageWriter } from './message-writer.js';

/** A granted lease. */
export interface GrantedLease {
  readonly id: bigint;
  /** Time to live in seconds; may exceed the requested one. */
  readonly seconds: number;
}

/** The remaining time of a lease and its keys. */
export interface LeaseState {
  /** Remaining seconds; negative when the lease does not exist. */
  readonly secondsLeft: number;
  /** Granted time to live, in seconds. */
  readonly grantedSeconds: number;
  readonly keys: readonly Buffer[];
}

/** Encodes a request of `LeaseGrant`. */
export const encodeLeaseGrant = (seconds: number): Uint8Array => new MessageWriter().integer(1, seconds).finish();

/** Decodes a response of `LeaseGrant`. */
export function decodeLeaseGrant(bytes: Buffer): GrantedLease {
  return decodeMessage(bytes, readLeaseGrant);
}

function readLeaseGrant(reader: MessageReader): GrantedLease {
  let id = 0n;
  let seconds = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) id = reader.bigUint64();
    else if (field === 3) seconds = reader.uint64();
    else reader.skip();
  }
  return { id, seconds };
}

/** Encodes a request of `LeaseRevoke`. */
export const encodeLeaseRevoke = (id: bigint): Uint8Array => new MessageWriter().integer(1, id).finish();

/** Encodes a request of `LeaseTimeToLive` that includes the keys. */
export const encodeLeaseTimeToLive = (id: bigint): Uint8Array =>
  new MessageWriter().flag(2, true).integer(1, id).finish();

/** Decodes a response of `LeaseTimeToLive`. */
export function decodeLeaseTimeToLive(bytes: Buffer): LeaseState {
  return decodeMessage(bytes, readLeaseTimeToLive);
}

function readLeaseTimeToLive(reader: MessageReader): LeaseState {
  let secondsLeft = 0;
  let grantedSeconds = 0;
  const keys: Buffer[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 3) secondsLeft = reader.int64();
    else if (field === 4) grantedSeconds = reader.uint64();
    else if (field === 5) keys.push(reader.bytes());
    else reader.skip();
  }
  return { secondsLeft, grantedSeconds, keys };
}

/** Decodes a response of `LeaseLeases`: the ids of all leases. */
export function decodeLeaseLeases(bytes: Buffer): bigint[] {
  return decodeMessage(bytes, readLeaseLeases);
}

function readLeaseLeases(reader: MessageReader): bigint[] {
  const ids: bigint[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field !== 2) {
      reader.skip();
      continue;
    }
    const lease = reader.message();
    for (let inner = lease.next(); inner !== 0; inner = lease.next()) {
      if (inner === 1) ids.push(lease.bigUint64());
      else lease.skip();
    }
  }
  return ids;
}

/** Encodes a request of `Authenticate`. */
export const encodeAuthenticate = (username: string, password: string): Uint8Array =>
  new MessageWriter().text(2, password).text(1, username).finish();

/** Decodes a response of `Authenticate`: the token. */
export const decodeAuthenticate = (bytes: Buffer): string => decodeMessage(bytes, readText);

/** The state of a member. */
export interface MemberStatus {
  /** Its version, such as `3.5.13`. */
  readonly version: string;
  /** Its problems, such as `memberID:1 alarm:NOSPACE`. */
  readonly errors: readonly string[];
}

/** Decodes a response of `Status`. */
export const decodeStatus = (bytes: Buffer): MemberStatus => decodeMessage(bytes, readStatus);

function readStatus(reader: MessageReader): MemberStatus {
  let version = '';
  const errors: string[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) version = reader.string();
    else if (field === 8) errors.push(reader.string().trim());
    else reader.skip();
  }
  return { version, errors };
}

/** Reads the text in field 2. */
function readText(reader: MessageReader): string {
  let text = '';
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) text = reader.string();
    else reader.skip();
  }
  return text;
}
