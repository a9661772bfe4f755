import {
  duplicate,
  invalid,
  maxLengthText,
  required,
  type FieldErrorList,
  type Steps,
} from '../../../../../foundation/index.js';
import { mandatory, oneOf, valid } from '../../../shared/field-rules.js';
import type { Container } from '../types.js';

const PORT_RANGE = 'must be between 1 and 65535, inclusive';
const MAX_PORT_NAME = 15;

/** Returns the problems of a port number; empty when it is valid. */
export function portNumber(port: number): readonly string[] {
  return port >= 1 && port <= 65535 ? [] : [PORT_RANGE];
}

/** Returns the problems of a port name (an IANA service name, RFC 6335); empty when it is valid. */
export function portName(name: string): readonly string[] {
  const problems: string[] = [];
  if (name.length > MAX_PORT_NAME) problems.push(maxLengthText(MAX_PORT_NAME));
  if (!/^[-a-z0-9]+$/.test(name))
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
}

/** Requires a valid number or name of a port. */
export const portReference = valid((port: number | string) =>
  typeof port === 'number' ? portNumber(port) : portName(port),
);

/** Requires a known protocol. */
export const protocolRule = mandatory(oneOf(['SCTP', 'TCP', 'UDP']));

/** Validates the ports of a container. */
export function* validatePorts(errors: FieldErrorList, path: string, ports: Container['ports'] = []): Steps<void> {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    if (port.name) {
      const problems = portName(port.name);
      for (const problem of problems) errors.push(invalid(`${at}.name`, port.name, problem));
      if (problems.length === 0 && names.has(port.name)) errors.push(duplicate(`${at}.name`, port.name));
      if (problems.length === 0) names.add(port.name);
    }
    if (port.containerPort === 0) errors.push(required(`${at}.containerPort`));
    else portReference(errors, `${at}.containerPort`, port.containerPort);
    if (port.hostPort) portReference(errors, `${at}.hostPort`, port.hostPort);
    protocolRule(errors, `${at}.protocol`, port.protocol);
  }
}

/** Validates that no two containers use the same host port. */
export function* validateHostPorts(
  errors: FieldErrorList,
  path: string,
  containers: readonly Container[],
): Steps<void> {
  const claimed = new Set<string>();
  for (const [at, container] of containers.entries()) {
    if (errors.spend()) yield;
    for (const [index, { protocol, hostIP = '', hostPort }] of (container.ports ?? []).entries()) {
      if (errors.spend()) yield;
      if (!hostPort) continue;
      const claim = `${protocol ?? ''}/${hostIP}/${hostPort}`;
      if (claimed.has(claim)) errors.push(duplicate(`${path}[${at}].ports[${index}].hostPort`, claim));
      claimed.add(claim);
    }
  }
}

/**
 * Validates that in the node's network the host port equals the container port. In a template it may be absent, because
 * the pod gets it.
 */
export function* validateHostNetworkPorts(
  errors: FieldErrorList,
  path: string,
  containers: readonly Container[],
  isPod: boolean,
): Steps<void> {
  for (const [at, container] of containers.entries()) {
    if (errors.spend()) yield;
    for (const [index, { hostPort = 0, containerPort }] of (container.ports ?? []).entries()) {
      if (errors.spend()) yield;
      if (hostPort === containerPort || (hostPort === 0 && !isPod)) continue;
      errors.push(
        invalid(
          `${path}[${at}].ports[${index}].hostPort`,
          hostPort,
          'must match `containerPort` when `hostNetwork` is true',
        ),
      );
    }
  }
}
