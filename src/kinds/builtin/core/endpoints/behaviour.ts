import {
  dnsLabelErrors,
  dnsSubdomainErrors,
  FieldErrorList,
  invalid,
  qualifiedName,
  required,
  UNBOUNDED_WORK,
  type FieldError,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { NONE } from '../../shared/columns.js';
import { IP_TEXT, ipOctets } from '../../shared/network/ip-address.js';
import { firstItems } from '../../shared/network/network-cells.js';
import { ordinaryAddress } from '../../shared/network/special-address.js';
import { nameErrors } from '../../shared/validate.js';
import { portNumber } from '../pod/validate/validate-ports.js';
import { protocolErrors } from '../service/validate-ports.js';
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
    for (const [at, address] of addresses.entries()) {
      if (errors.spend()) yield;
      addressErrors(errors, `${path}.addresses[${at}]`, address);
    }
    for (const [at, address] of notReadyAddresses.entries()) {
      if (errors.spend()) yield;
      addressErrors(errors, `${path}.notReadyAddresses[${at}]`, address);
    }
    for (const [at, port] of ports.entries()) {
      if (errors.spend()) yield;
      portErrors(errors, `${path}.ports[${at}]`, port, ports.length > 1);
    }
  }
  return errors;
}

function addressErrors(errors: FieldError[], path: string, { ip, hostname, nodeName }: coreV1.EndpointAddress): void {
  if (ipOctets(ip) === undefined) errors.push(invalid(`${path}.ip`, ip, IP_TEXT));
  if (hostname) nameErrors(errors, `${path}.hostname`, hostname, dnsLabelErrors(hostname));
  if (nodeName !== undefined) nameErrors(errors, `${path}.nodeName`, nodeName, dnsSubdomainErrors(nodeName));
  ordinaryAddress(errors, `${path}.ip`, ip);
}

function portErrors(errors: FieldError[], path: string, port: coreV1.EndpointPort, needsName: boolean): void {
  const { name = '', protocol, appProtocol } = port;
  if (name !== '') nameErrors(errors, `${path}.name`, name, dnsLabelErrors(name));
  else if (needsName) errors.push(required(`${path}.name`));
  for (const problem of portNumber(port.port)) errors.push(invalid(`${path}.port`, port.port, problem));
  protocolErrors(errors, `${path}.protocol`, protocol);
  if (appProtocol !== undefined) nameErrors(errors, `${path}.appProtocol`, appProtocol, qualifiedName(appProtocol));
}

const endpointsCell = ({ subsets = [] }: EndpointsObject): string => {
  if (subsets.length === 0) return NONE;
  const texts = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) =>
          addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  );
  return firstItems(texts);
};

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
