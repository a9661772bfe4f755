import {
  checkLayout,
  minReaderOf,
  OLDEST_LAYOUT,
  raiseLayoutOfMark,
  STORE_LAYOUT,
  untilWritten,
  UnusableStoreError,
  type Storage,
} from '../../storage/index.js';
import { AGREEMENT_KEY, readAgreement, writeAgreement, type AgreementRecord } from './agreement-record.js';
import { livingServers } from './membership.js';
import type { Trust } from './statement.js';

/** Name of the agreed layout among the values of the record. */
const AGREED_LAYOUT = 'storeLayout';
/** Name of the layouts that a server reads among its trust. */
export const READ_LAYOUTS = 'storeLayouts';

/** Returns the layouts that this build reads, as a server states them. */
export function layoutTrust(): Trust {
  const accepts: string[] = [];
  for (let layout = OLDEST_LAYOUT; layout <= STORE_LAYOUT; layout += 1) accepts.push(String(layout));
  return { uses: [], accepts };
}

/** Checks that this build reads the layout that the servers have agreed on. @throws UnusableStoreError with the remedy */
export function checkAgreedLayout({ values }: AgreementRecord): void {
  const layout = agreedLayout(values);
  checkLayout(layout, minReaderOf(layout));
}

const agreedLayout = (values: ReadonlyMap<string, string>): number => Number(values.get(AGREED_LAYOUT) ?? 1);

/**
 * Raises the layout of a store, before the first write that an older build could not read. Of a store with several
 * servers, all that run must read it. A server that starts meanwhile writes the record of the agreement too, so one of the
 * two writes is repeated and sees the other: no older build can join once the record names the layout.
 *
 * @throws UnusableStoreError naming the running servers that do not read the layout; nothing was changed then.
 * StorageError when the storage fails
 */
export async function raiseLayout(storage: Storage, layout: number): Promise<void> {
  await untilWritten(AGREEMENT_KEY, async () => {
    const { record } = await storage.get(AGREEMENT_KEY);
    // A store that only one server can open has no record, unless it is a copy.
    if (record === undefined && storage.isShared !== true) return true;
    const agreed = record === undefined ? { values: new Map(), members: new Map() } : readAgreement(record);
    if (agreedLayout(agreed.values) >= layout) return true;
    await refuseOlder(storage, agreed, layout);
    const values = new Map([...agreed.values, [AGREED_LAYOUT, String(layout)]]);
    return writeAgreement(storage, record, { ...agreed, values });
  });
  await raiseLayoutOfMark(storage, layout);
}

/** @throws UnusableStoreError when a server that runs does not read a layout */
async function refuseOlder(storage: Storage, { members }: AgreementRecord, layout: number): Promise<void> {
  const living = await livingServers(storage);
  const older = [...members].flatMap(([id, trust]) => {
    const build = living.get(id);
    // A build from before there were layouts to choose from states none, and reads the first.
    const reads = trust.get(READ_LAYOUTS)?.accepts ?? [];
    if (build === undefined || reads.includes(String(layout))) return [];
    return [
      `${id} (${build === '' ? 'of an unknown version' : `version ${build}`}) reads layouts up to ${reads.at(-1) ?? 1}`,
    ];
  });
  if (older.length === 0) return;
  throw new UnusableStoreError(
    `layout ${layout} of the store cannot be used while a server runs that does not read it: ${older.join('; ')}: first replace all servers by version ${minReaderOf(layout) ?? 'of this program'} or later`,
  );
}
