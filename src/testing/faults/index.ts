export { type Crash, type CrashOptions, type Failure, type Faults, type Partition } from './faults.js';
export type { LastWrite } from './crash-switch.js';
export type { FaultMatch, FaultVerb } from './match.js';
export type { FaultRule } from './rule.js';
export type { DropMoment, FaultName, FaultSpec, FaultStatus, PartitionedWatches } from './spec.js';
