import {
  dnsLabelErrors,
  duplicate,
  forbidden,
  goQuote,
  invalid,
  qualifiedName,
  required,
  VerbatimValue,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../foundation/index.js';
import { valid } from '../../shared/field-rules.js';
import { nameErrors } from '../../shared/validate.js';
import { portNumber, portReference, protocolRule } from '../pod/validate/validate-ports.js';
import { CLUSTER_IP, type ServicePort, type ServiceSpec } from './types.js';

/** Port of the node agent, which a load balancer must not expose. */
export const NODE_AGENT_PORT = 10_250;

const PORTS = 'spec.ports';

const appProtocolRule = valid(qualifiedName);

/** Adds the errors of each port. */
export function* portErrors(errors: FieldErrorList, ports: readonly ServicePort[]): Steps<void> {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    if (errors.spend()) yield;
    const path = `${PORTS}[${index}]`;
    portNameErrors(errors, `${path}.name`, port.name ?? '', { names, required: ports.length > 1 });
    for (const problem of portNumber(port.port)) errors.push(invalid(`${path}.port`, port.port, problem));
    protocolRule(errors, `${path}.protocol`, port.protocol);
    portReference(errors, `${path}.targetPort`, port.targetPort ?? 0);
    appProtocolRule(errors, `${path}.appProtocol`, port.appProtocol);
  }
}

/** Adds the errors of the name of a port, a DNS label that is unique in its list. */
export function portNameErrors(
  errors: FieldError[],
  path: string,
  name: string,
  { names, required: isRequired }: { readonly names: Set<string>; readonly required: boolean },
): void {
  if (name === '') {
    if (isRequired) errors.push(required(path));
    return;
  }
  nameErrors(errors, path, name, dnsLabelErrors(name));
  if (names.has(name)) errors.push(duplicate(path, name));
  names.add(name);
}

/** Adds the errors of node ports of a type that has none, and of ports that are given twice. */
export function* portConflictErrors(errors: FieldErrorList, { type, ports = [] }: ServiceSpec): Steps<void> {
  if (type === CLUSTER_IP)
    for (const [index, { nodePort }] of ports.entries()) {
      if (errors.spend()) yield;
      if (nodePort) errors.push(forbidden(`${PORTS}[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    }
  const nodePorts = new Set<string>();
  for (const [index, { protocol = '', nodePort = 0 }] of ports.entries()) {
    if (errors.spend()) yield;
    if (nodePort === 0) continue;
    const key = `${protocol}/${nodePort}`;
    if (nodePorts.has(key)) errors.push(duplicate(`${PORTS}[${index}].nodePort`, nodePort));
    nodePorts.add(key);
  }
  const seen = new Set<string>();
  for (const [index, { protocol = '', port }] of ports.entries()) {
    if (errors.spend()) yield;
    const key = `${protocol}/${port}`;
    if (seen.has(key)) errors.push(duplicate(`${PORTS}[${index}]`, shownPort(protocol, port)));
    seen.add(key);
  }
}

/** Returns a protocol and port as Kubernetes shows them: as a port without its other fields. */
const shownPort = (protocol: string, port: number): VerbatimValue =>
  new VerbatimValue(
    `core.ServicePort{Name:"", Protocol:${goQuote(protocol)}, AppProtocol:(*string)(nil), Port:${port}, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}`,
  );
