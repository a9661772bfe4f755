import {
  appendErrors,
  checkLabels,
  dnsLabelErrors,
  dnsSubdomain,
  dnsSubdomainErrors,
  duplicate,
  equalValueSteps,
  FieldErrorList,
  invalid,
  labelValue,
  qualifiedName,
  required,
  tooMany,
  type FieldError,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { RequestContext, Unvalidated } from '../../../registry/index.js';
import type { discoveryV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { protocolRule } from '../core/pod/validate/validate-ports.js';
import { mandatory, oneOf, valid } from '../shared/field-rules.js';
import { familyOfOctets, ipOctets } from '../shared/network/ip-address.js';
import { firstItems } from '../shared/network/network-cells.js';
import { ordinaryAddress } from '../shared/network/special-address.js';
import { incrementGeneration } from '../shared/spec.js';
import { immutableField, nameErrors } from '../shared/validate.js';

type SliceObject = StoredKind<discoveryV1.EndpointSlice>;
type DraftSlice = Unvalidated<SliceObject>;
type Endpoint = discoveryV1.Endpoint;

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const addressTypeRule = mandatory(oneOf(ADDRESS_TYPES));
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;
const MAX_TOPOLOGY_LABELS = 16;
const MAX_ZONE_HINTS = 8;
const UNSET = '<unset>';

/** @see release 1.31, `ValidateEndpointSlice` of discovery */
function* sliceErrors(slice: SliceObject, work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const { addressType, endpoints, ports } = slice;
  addressTypeRule(errors, 'addressType', addressType);
  if ((endpoints?.length ?? 0) > MAX_ENDPOINTS)
    errors.push(tooMany('endpoints', endpoints?.length ?? 0, MAX_ENDPOINTS));
  else
    for (const [index, endpoint] of (endpoints ?? []).entries()) {
      if (errors.spend()) yield;
      yield* endpointErrors(errors, `endpoints[${index}]`, endpoint, addressType);
    }
  yield* portsErrors(errors, ports ?? []);
  return errors;
}

function* endpointErrors(errors: FieldErrorList, path: string, endpoint: Endpoint, addressType: string): Steps<void> {
  const { addresses, nodeName, deprecatedTopology: topology, hostname, hints } = endpoint;
  if (addresses.length === 0) errors.push(required(`${path}.addresses`, 'must contain at least 1 address'));
  else if (addresses.length > MAX_ADDRESSES) errors.push(tooMany(`${path}.addresses`, addresses.length, MAX_ADDRESSES));
  for (const [index, address] of addresses.entries()) {
    if (errors.spend()) yield;
    addressErrors(errors, `${path}.addresses[${index}]`, address, addressType);
  }
  if (nodeName !== undefined) nameErrors(errors, `${path}.nodeName`, nodeName, dnsSubdomainErrors(nodeName));
  const labels = Object.keys(topology ?? {}).length;
  if (labels > MAX_TOPOLOGY_LABELS) errors.push(tooMany(`${path}.deprecatedTopology`, labels, MAX_TOPOLOGY_LABELS));
  appendErrors(errors, yield* checkLabels(topology, `${path}.deprecatedTopology`, errors.work));
  if (hostname !== undefined) nameErrors(errors, `${path}.hostname`, hostname, dnsLabelErrors(hostname));
  if (hints !== undefined) yield* hintErrors(errors, `${path}.hints.forZones`, hints.forZones ?? []);
}

function addressErrors(errors: FieldError[], path: string, address: string, addressType: string): void {
  if (addressType === 'FQDN') return domainErrors(errors, path, address);
  if (!ADDRESS_TYPES.includes(addressType)) return;
  const octets = ipOctets(address);
  if (octets === undefined || familyOfOctets(octets) !== addressType)
    errors.push(invalid(path, address, `must be a valid ${addressType} address`));
  ordinaryAddress(errors, path, address);
}

/** Adds the first error of a fully qualified domain name: at least two labels, and maybe a trailing dot. */
function domainErrors(errors: FieldError[], path: string, name: string): void {
  if (name === '') return void errors.push(required(path));
  const plain = name.endsWith('.') ? name.slice(0, -1) : name;
  const problems = dnsSubdomainErrors(plain);
  if (problems.length > 0) return void errors.push(invalid(path, plain, problems.join(',')));
  const labels = plain.split('.');
  if (labels.length < 2)
    return void errors.push(invalid(path, plain, 'should be a domain with at least two segments separated by dots'));
  const wrong = labels.find((label) => dnsLabelErrors(label).length > 0);
  if (wrong !== undefined) errors.push(invalid(path, wrong, dnsLabelErrors(wrong).join(',')));
}

function* hintErrors(errors: FieldErrorList, path: string, zones: readonly discoveryV1.ForZone[]): Steps<void> {
  if (zones.length > MAX_ZONE_HINTS) return void errors.push(tooMany(path, zones.length, MAX_ZONE_HINTS));
  const names = new Set<string>();
  for (const [index, { name }] of zones.entries()) {
    if (errors.spend()) yield;
    if (names.has(name)) errors.push(duplicate(`${path}[${index}].name`, name));
    names.add(name);
    nameErrors(errors, `${path}[${index}].name`, name, labelValue(name));
  }
}

const appProtocolRule = valid(qualifiedName);

function* portsErrors(errors: FieldErrorList, ports: readonly discoveryV1.EndpointPort[]): Steps<void> {
  if (ports.length > MAX_PORTS) return void errors.push(tooMany('ports', ports.length, MAX_PORTS));
  const names = new Set<string>();
  for (const [index, { name = '', protocol, appProtocol }] of ports.entries()) {
    if (errors.spend()) yield;
    const path = `ports[${index}]`;
    if (name !== '') nameErrors(errors, `${path}.name`, name, dnsLabelErrors(name));
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    protocolRule(errors, `${path}.protocol`, protocol);
    appProtocolRule(errors, `${path}.appProtocol`, appProtocol);
  }
}

/** Drops the hints of endpoints while the feature is disabled, unless the stored slice has some. */
function dropHints(slice: DraftSlice, old: SliceObject | undefined, { featureGates }: RequestContext): void {
  if (featureGates.enabled('TopologyAwareHints')) return;
  if (old?.endpoints?.some(({ hints }) => hints !== undefined) === true) return;
  for (const endpoint of slice.endpoints ?? []) delete endpoint.hints;
}

/**
 * Drops the older topology of changed endpoints, which this version of the kind does not write. Its node name becomes
 * `nodeName` when the stored slice names that node.
 */
function* dropTopology(
  slice: DraftSlice,
  old: SliceObject | undefined,
  { dialect, work }: RequestContext,
): Steps<void> {
  if (old !== undefined && (yield* equalValueSteps(slice.endpoints, old.endpoints, work))) return;
  const label = `${dialect.labelDomain}/hostname`;
  const nodes = new Set((old?.endpoints ?? []).map(({ deprecatedTopology }) => deprecatedTopology?.[label]));
  for (const endpoint of slice.endpoints ?? []) {
    const node = endpoint.deprecatedTopology?.[label];
    if (node !== undefined && nodes.has(node) && dnsSubdomainErrors(node).length === 0) endpoint.nodeName ??= node;
    delete endpoint.deprecatedTopology;
  }
}

/** Returns whether anything but the metadata has changed, or the labels. */
function* isChanged(slice: DraftSlice, old: SliceObject, { work }: RequestContext): Steps<boolean> {
  const {
    metadata: { labels = {} },
    ...fields
  } = slice;
  const { metadata, ...before } = old;
  return (
    !(yield* equalValueSteps({ ...fields }, { ...before }, work)) ||
    !(yield* equalValueSteps(labels, metadata.labels ?? {}, work))
  );
}

/** The behaviour of endpoint slices. */
export const endpointSliceBehaviour: Behaviour<discoveryV1.EndpointSlice> = {
  strategy: {
    nameRule: dnsSubdomain,
    defaults(slice) {
      for (const port of slice.ports ?? []) {
        port.name ??= '';
        port.protocol ??= 'TCP';
      }
    },
    *prepareForCreate(slice, context) {
      slice.metadata.generation = 1;
      dropHints(slice, undefined, context);
      yield* dropTopology(slice, undefined, context);
    },
    *prepareForUpdate(slice, old, context) {
      if (yield* isChanged(slice, old, context)) incrementGeneration(slice, old);
      dropHints(slice, old, context);
      yield* dropTopology(slice, old, context);
    },
    validate: (slice, { work }) => sliceErrors(slice, work),
    validateUpdate(slice, old) {
      const errors = new FieldErrorList();
      immutableField(errors, 'addressType', slice.addressType, old.addressType);
      return errors;
    },
    // The path is that of release 1.31, although the field is not in a spec.
    warnings: (slice, old) =>
      old === undefined && slice.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [],
  },
  cells: {
    AddressType: ({ addressType }) => addressType,
    Ports: ({ ports }) =>
      firstItems((ports ?? []).map(({ name = '', port }) => (port === undefined ? name : String(port)))) || UNSET,
    Endpoints: ({ endpoints }) => firstItems((endpoints ?? []).flatMap(({ addresses }) => addresses)) || UNSET,
  },
};
