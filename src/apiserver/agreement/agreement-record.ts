import { isJsonObject, parsedJson, stringOrEmpty, type JsonValue } from '../../foundation/index.js';
import {
  replaceRecord,
  UnusableStoreError,
  type Revision,
  type Storage,
  type StorageRecord,
} from '../../storage/index.js';
import type { Trust } from './statement.js';

/** Key of the record of what the servers of a store have agreed on. */
export const AGREEMENT_KEY = '/internal/agreement';

/** The terms that the servers of a store have agreed on. */
export interface AgreementRecord {
  readonly values: ReadonlyMap<string, string>;
  /** The trust of each server, by its identity. Servers that have ended stay in it until the next one starts. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, Trust>>;
}

/** Returns an encoder of the record. */
export const agreementText =
  ({ values, members }: AgreementRecord) =>
  (revision: Revision): string =>
    JSON.stringify({
      kind: 'Agreement',
      apiVersion: 'internal/v1',
      metadata: { resourceVersion: String(revision) },
      values: Object.fromEntries(values),
      members: Object.fromEntries([...members].map(([id, trust]) => [id, Object.fromEntries(trust)])),
    });

/**
 * Parses the record.
 *
 * @throws UnusableStoreError for one that no server would write
 */
export function readAgreement({ text }: Pick<StorageRecord, 'text'>): AgreementRecord {
  const value = parsedJson(text);
  if (!isJsonObject(value) || !isJsonObject(value['values']) || !isJsonObject(value['members']))
    throw new UnusableStoreError(`the agreement of the servers of the store (${AGREEMENT_KEY}) cannot be read`);
  return {
    values: new Map(Object.entries(value['values']).map(([name, text]) => [name, stringOrEmpty(text)])),
    members: new Map(Object.entries(value['members']).map(([id, trust]) => [id, readTrust(trust)])),
  };
}

/** Writes the record in place of a version of it. @returns false when another server was faster */
export const writeAgreement = (
  storage: Storage,
  before: StorageRecord | undefined,
  next: AgreementRecord,
): Promise<boolean> => replaceRecord(storage, AGREEMENT_KEY, before, agreementText(next));

const readTrust = (value: JsonValue | undefined): ReadonlyMap<string, Trust> =>
  new Map(
    Object.entries(isJsonObject(value) ? value : {}).map(([name, trust]) => [
      name,
      { uses: strings(trust, 'uses'), accepts: strings(trust, 'accepts') },
    ]),
  );

function strings(value: JsonValue | undefined, member: string): readonly string[] {
  const list = isJsonObject(value) ? value[member] : undefined;
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
}
