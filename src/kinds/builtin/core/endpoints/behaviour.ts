import {
  dnsLabelErrors,
  dnsSubdomainErrors,
  FieldErrorList,
  qualifiedName,
  required,
  resultOf,
  UNBOUNDED_WORK,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { NONE } from '../../shared/columns.js';
import { allOf, each, fields, filled, mandatory, valid } from '../../shared/field-rules.js';
import { IP_TEXT, ipOctets } from '../../shared/network/ip-address.js';
import { firstItems, MOST_ITEMS, takeFirst } from '../../shared/network/network-cells.js';
import { ordinaryAddress } from '../../shared/network/special-address.js';
import { portNumber, protocolRule } from '../pod/validate/validate-ports.js';
import { sortSubsets } from './subsets.js';

type EndpointsObject = StoredKind<coreV1.Endpoints>;

/** @see release 1.31, `ValidateEndpoints` of core */
function* endpointsErrors({ subsets = [] }: EndpointsObject, work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  for (const [index, { addresses = [], notReadyAddresses = [], ports = [] }] of subsets.entries()) {
    if (errors.spend()) yield;
    const path = `subsets[${index}]`;
    if (addresses.length === 0 && notReadyAddresses.length === 0)
      errors.push(required(path, 'must specify `addresses` or `notReadyAddresses`'));
    yield* resultOf(addressesRule(errors, `${path}.addresses`, addresses));
    yield* resultOf(addressesRule(errors, `${path}.notReadyAddresses`, notReadyAddresses));
    for (const [at, port] of ports.entries()) {
      if (errors.spend()) yield;
      yield* portErrors(errors, `${path}.ports[${at}]`, port, ports.length > 1);
    }
  }
  return errors;
}

const addressesRule = each(
  allOf(
    fields<coreV1.EndpointAddress>({
      ip: valid((ip: string) => (ipOctets(ip) === undefined ? [IP_TEXT] : [])),
      hostname: filled(valid(dnsLabelErrors)),
      nodeName: valid(dnsSubdomainErrors),
    }),
    fields<coreV1.EndpointAddress>({ ip: (errors, path, ip = '') => ordinaryAddress(errors, path, ip) }),
  ),
);

function* portErrors(errors: FieldErrorList, path: string, port: coreV1.EndpointPort, needsName: boolean): Steps<void> {
  if (needsName) requiredName(errors, `${path}.name`, port.name);
  else optionalName(errors, `${path}.name`, port.name);
  yield* resultOf(portRules(errors, path, port));
}

const optionalName = filled(valid(dnsLabelErrors));
const requiredName = mandatory(valid(dnsLabelErrors));
const portRules = fields<coreV1.EndpointPort>({
  port: valid(portNumber),
  protocol: protocolRule,
  appProtocol: valid(qualifiedName),
});

/** Returns the texts of the endpoints of a subset: each address at each port. */
function* endpointTexts({ addresses = [], ports = [] }: coreV1.EndpointSubset): Iterable<string> {
  if (ports.length === 0) for (const { ip } of addresses) yield ip;
  for (const { port } of ports)
    for (const { ip } of addresses) yield ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

/** Shows the first endpoints, and counts the others: addresses and ports multiply to billions. */
function endpointsCell({ subsets = [] }: EndpointsObject): string {
  if (subsets.length === 0) return NONE;
  const shown: string[] = [];
  let count = 0;
  for (const subset of subsets) {
    const { addresses = [], ports = [] } = subset;
    count += addresses.length * Math.max(1, ports.length);
    if (shown.length < MOST_ITEMS) takeFirst(shown, endpointTexts(subset));
  }
  return firstItems(shown, count);
}

/** The behaviour of endpoints. */
export const endpointsBehaviour: Behaviour<coreV1.Endpoints> = {
  strategy: {
    allowCreateOnUpdate: true,
    defaults(endpoints) {
      for (const { ports = [] } of endpoints.subsets ?? []) for (const port of ports) port.protocol ||= 'TCP';
    },
    validate: (endpoints, { work }) => endpointsErrors(endpoints, work),
    *canonicalize(endpoints, { work = UNBOUNDED_WORK }) {
      if (endpoints.subsets !== undefined) endpoints.subsets = yield* sortSubsets(endpoints.subsets, work);
    },
  },
  cells: { Endpoints: endpointsCell },
};
