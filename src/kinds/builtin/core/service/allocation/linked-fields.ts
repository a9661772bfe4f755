/**
 * Fields of a service that say the same thing twice, and fields that the server has set before. A client may send only
 * a part of them.
 *
 * @module
 */
import {
  needsClusterIP,
  needsHealthCheck,
  needsNodePort,
  nodePortsOf,
  sameTexts,
  type DraftSpec,
  type ServiceSpec,
} from '../types.js';

/** Makes `clusterIPs` follow `clusterIP`, which is the only one that older clients know. */
export function linkClusterIPs(spec: DraftSpec, old: ServiceSpec | undefined): void {
  const { clusterIP = '', clusterIPs = [] } = spec;
  if (old === undefined) {
    if (clusterIP !== '' && clusterIPs.length === 0) spec.clusterIPs = [clusterIP];
    return;
  }
  const { clusterIP: before = '', clusterIPs: allBefore = [] } = old;
  if (before === clusterIP) {
    if (allBefore.length > 0 && clusterIPs.length === 0) spec.clusterIPs = [...allBefore];
    return;
  }
  if (!sameTexts(clusterIPs, allBefore)) return;
  if (clusterIP === '') delete spec.clusterIPs;
  else spec.clusterIPs = [clusterIP];
}

/**
 * Copies what the server has allocated into an update that does not say it, so that a client can send the same manifest
 * again.
 */
export function keepAllocated(spec: DraftSpec, old: ServiceSpec): void {
  if (needsClusterIP(old) && needsClusterIP(spec)) {
    if (old.clusterIP) spec.clusterIP ||= old.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0 && (old.clusterIPs ?? []).length > 0)
      spec.clusterIPs = [...(old.clusterIPs ?? [])];
  }
  if (needsNodePort(old) && needsNodePort(spec)) keepNodePorts(spec, old);
  if (needsHealthCheck(old) && needsHealthCheck(spec) && old.healthCheckNodePort)
    spec.healthCheckNodePort ||= old.healthCheckNodePort;
}

/** Copies node ports by the name of their port, unless another port has them now. */
function keepNodePorts(spec: DraftSpec, old: ServiceSpec): void {
  const given = new Set(nodePortsOf(spec));
  const byName = new Map((old.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  for (const port of spec.ports ?? []) {
    const before = byName.get(port.name ?? '') ?? 0;
    if (before !== 0 && !given.has(before)) port.nodePort ||= before;
  }
}
