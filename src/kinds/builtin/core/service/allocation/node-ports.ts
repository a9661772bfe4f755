import { ApiError, errors, invalid } from '../../../../../foundation/index.js';
import {
  LOAD_BALANCER,
  mayHaveNodePort,
  needsHealthCheck,
  NODE_PORT,
  nodePortsOf,
  type DraftService,
  type DraftSpec,
  type ServiceSpec,
} from '../types.js';
import type { Claims } from './claims.js';
import { invalidService } from './ip-families.js';
import type { Transaction } from './transaction.js';

/** The parts that the functions of this file work on. */
interface Ports {
  readonly service: DraftService;
  readonly claims: Claims;
  readonly transaction: Transaction;
}

/** Returns whether ports without a node port get one. */
const allocates = ({ type, allocateLoadBalancerNodePorts }: DraftSpec): boolean =>
  type === NODE_PORT || (type === LOAD_BALANCER && allocateLoadBalancerNodePorts === true);

/**
 * Takes the node ports of a new service.
 *
 * @throws ApiError 422 when a port is taken or not in the range; 500 when the range is full
 */
export async function takeNodePorts(service: DraftService, claims: Claims, transaction: Transaction): Promise<void> {
  const ports = { service, claims, transaction };
  const spec = (service.spec ??= {});
  if (mayHaveNodePort(spec)) await takePortsOfNew(ports, spec);
  if (needsHealthCheck(spec)) await takeHealthCheck(ports, spec);
}

/** Takes node ports. Ports of one number and several protocols share a node port, unless each names its own. */
async function takePortsOfNew(ports: Ports, spec: DraftSpec): Promise<void> {
  const byPort = new Map<number, number>();
  const wantedBy = new Map<number, number>();
  for (const { port, nodePort } of spec.ports ?? [])
    if (port !== undefined && nodePort && !wantedBy.has(port)) wantedBy.set(port, nodePort);
  for (const [index, port] of (spec.ports ?? []).entries()) {
    if (!port.nodePort && !allocates(spec)) continue;
    const number = port.port ?? 0;
    const shared = byPort.get(number);
    if (shared === undefined) {
      const wanted = wantedBy.get(number) ?? 0;
      if (wanted !== 0) await takePort(ports, index, wanted);
      port.nodePort = wanted === 0 ? await takeAnyPort(ports) : wanted;
      byPort.set(number, port.nodePort);
    } else if (!port.nodePort) port.nodePort = shared;
    else if (port.nodePort !== shared) await takePort(ports, index, port.nodePort);
  }
}

async function takePort({ service, claims, transaction }: Ports, index: number, port: number): Promise<void> {
  const refusal = await transaction.takePort(claims, port);
  if (refusal !== undefined) throw invalidService(service, [invalid(`spec.ports[${index}].nodePort`, port, refusal)]);
}

async function takeAnyPort({ claims, transaction }: Ports): Promise<number> {
  const port = await transaction.takeAnyPort(claims);
  if (port === undefined) throw errors.internal('failed to allocate a nodePort: range is full');
  return port;
}

async function takeHealthCheck({ claims, transaction }: Ports, spec: DraftSpec): Promise<void> {
  const wanted = spec.healthCheckNodePort ?? 0;
  if (wanted === 0) {
    const port = await transaction.takeAnyPort(claims);
    if (port === undefined) throw errors.internal('failed to allocate a HealthCheck NodePort 0: range is full');
    spec.healthCheckNodePort = port;
    return;
  }
  const refusal = await transaction.takePort(claims, wanted);
  if (refusal !== undefined)
    throw errors.internal(`failed to allocate requested HealthCheck NodePort ${wanted}: ${refusal}`);
}

/**
 * Takes and gives back the node ports of a service that changes.
 *
 * @throws ApiError as {@link takeNodePorts} does
 */
export async function changeNodePorts(
  service: DraftService,
  old: ServiceSpec,
  claims: Claims,
  transaction: Transaction,
): Promise<void> {
  const ports = { service, claims, transaction };
  const spec = (service.spec ??= {});
  if (mayHaveNodePort(spec)) await takePortsOfChanged(ports, spec, nodePortsOf(old));
  if (mayHaveNodePort(old)) {
    const kept = new Set(mayHaveNodePort(spec) ? nodePortsOf(spec) : []);
    for (const port of nodePortsOf(old)) if (!kept.has(port)) transaction.drop(claims, String(port));
  }
  if (!needsHealthCheck(old) && needsHealthCheck(spec)) await takeHealthCheck(ports, spec);
  if (needsHealthCheck(old) && !needsHealthCheck(spec)) transaction.drop(claims, String(old.healthCheckNodePort));
}

async function takePortsOfChanged(ports: Ports, spec: DraftSpec, before: readonly number[]): Promise<void> {
  const taken = new Set(before);
  const seen = new Set<string>();
  for (const [index, port] of (spec.ports ?? []).entries()) {
    if (!port.nodePort) {
      if (!allocates(spec)) continue;
      port.nodePort = await takeAnyPort(ports);
    } else if (!taken.has(port.nodePort)) {
      await takePort(ports, index, port.nodePort);
      taken.add(port.nodePort);
    }
    const key = `{${port.protocol ?? ''} ${port.nodePort}}`;
    if (seen.has(key)) throw new ApiError({ message: `duplicate nodePort: ${key}`, code: 500 });
    seen.add(key);
  }
}

/** Gives all node ports of a removed service back. */
export function dropNodePorts(spec: ServiceSpec, claims: Claims, transaction: Transaction): void {
  for (const port of nodePortsOf(spec)) transaction.drop(claims, String(port));
  if (needsHealthCheck(spec)) transaction.drop(claims, String(spec.healthCheckNodePort));
}
