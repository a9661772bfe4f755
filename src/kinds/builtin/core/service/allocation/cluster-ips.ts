import { errors, invalid } from '../../../../../foundation/index.js';
import { ipOctets, ipText } from '../../../shared/network/ip-address.js';
import { EXTERNAL_NAME, HEADLESS, type DraftService, type DraftSpec, type ServiceSpec } from '../types.js';
import { familyOf, shownIPs } from '../validate-cluster-ips.js';
import type { Claims } from './claims.js';
import { invalidService, keepsPreferredStack } from './ip-families.js';
import type { Transaction } from './transaction.js';

/** The claims of addresses, by family. */
export type AddressClaims = ReadonlyMap<string, Claims>;

const isHeadless = (spec: DraftSpec | ServiceSpec): boolean => spec.clusterIPs?.[0] === HEADLESS;

/**
 * Takes the addresses of a service: those that it names, and free ones for its other families.
 *
 * @throws ApiError 422 when an address is taken or not in the range; 500 when the range is full
 */
export async function takeClusterIPs(
  service: DraftService,
  claims: AddressClaims,
  transaction: Transaction,
): Promise<void> {
  const spec = (service.spec ??= {});
  if (spec.type === EXTERNAL_NAME || isHeadless(spec)) return;
  const ips = [...(spec.clusterIPs ?? [])];
  for (const index of (spec.ipFamilies ?? []).keys()) ips[index] = await takeOne(service, index, claims, transaction);
  spec.clusterIPs = ips;
  if (ips[0] !== undefined) spec.clusterIP = ips[0];
}

/** Takes the address of one family. @returns the address */
async function takeOne(
  service: DraftService,
  index: number,
  addressClaims: AddressClaims,
  transaction: Transaction,
): Promise<string> {
  const { clusterIPs = [], ipFamilies = [] } = service.spec ?? {};
  const claims = addressClaims.get(ipFamilies[index] ?? '');
  // The families are checked before.
  if (claims === undefined) throw errors.internal(`no service IPs of the family ${ipFamilies[index] ?? ''}`);
  const wanted = clusterIPs[index] ?? '';
  if (wanted === '') {
    const free = await transaction.takeAnyAddress(claims);
    if (free === undefined) throw errors.internal('failed to allocate a serviceIP: range is full');
    return free;
  }
  const octets = ipOctets(wanted);
  const refusal = await transaction.takeAddress(claims, octets === undefined ? wanted : ipText(octets));
  if (refusal === undefined) return wanted;
  const why = `failed to allocate IP ${wanted}: ${refusal}`;
  throw invalidService(service, [invalid('spec.clusterIPs', shownIPs(clusterIPs), why)]);
}

/**
 * Takes and gives back the addresses of a service that changes: its type, or the number of its families.
 *
 * @throws ApiError as {@link takeClusterIPs} does
 */
export async function changeClusterIPs(
  service: DraftService,
  old: ServiceSpec,
  claims: AddressClaims,
  transaction: Transaction,
): Promise<void> {
  const spec = (service.spec ??= {});
  if (keepsPreferredStack(spec, old)) return;
  if (old.type === EXTERNAL_NAME) return takeClusterIPs(service, claims, transaction);
  if (isHeadless(old)) return;
  if (spec.type === EXTERNAL_NAME) {
    dropClusterIPs(old.clusterIPs, claims, transaction);
    return;
  }
  const before = old.ipFamilies?.length ?? 0;
  const now = spec.ipFamilies?.length ?? 0;
  if (before === 1 && now === 2) {
    const [first = '', second = ''] = spec.clusterIPs ?? [];
    spec.clusterIPs = [first, second];
    spec.clusterIPs[1] = await takeOne(service, 1, claims, transaction);
  }
  if (before === 2 && now === 1) dropClusterIPs(old.clusterIPs?.slice(1), claims, transaction);
}

/** Gives addresses back. Those of a family that the server no longer has were given back with its range. */
export function dropClusterIPs(ips: readonly string[] = [], claims: AddressClaims, transaction: Transaction): void {
  if (ips[0] === HEADLESS) return;
  for (const ip of ips) {
    const range = claims.get(familyOf(ip));
    if (range !== undefined) transaction.drop(range, ip);
  }
}
