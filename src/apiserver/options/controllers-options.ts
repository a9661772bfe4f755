import { contradictionInTimes, leaderElectionChecks, type LeaderElectionTimes } from '../../controllers/index.js';
import {
  aBoolean,
  aCount,
  aDuration,
  either,
  listOf,
  nested,
  oneOf,
  type Duration,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/index.js';
import { controllerNames, type ControllerName } from '../controllers/controller-names.js';
import type { ControllerSettings } from '../controllers/controller-options.js';

/** Which controllers run, and how. */
export interface ControllersOptions extends ControllerSettings {
  /** Controllers to run that are off by default: `tokencleaner`, `bootstrapsigner`. */
  readonly enable?: readonly ControllerName[] | undefined;
  /** Controllers that do not run. */
  readonly disable?: readonly ControllerName[] | undefined;
  /**
   * Time between the deletion of a namespace and the deletion of its content. Servers that share a storage need a few
   * seconds, so that all of them refuse new content before it is listed. Default 0.
   */
  readonly namespaceDeletionDelay?: Duration | undefined;
  /**
   * Whether servers that share the storage elect, for each group of controllers, the one that runs it; or the times of
   * these elections. Default: on for a storage that other processes may write to, such as etcd and PostgreSQL, and off
   * for others.
   */
  readonly leaderElection?: boolean | LeaderElectionTimes | undefined;
}

const names: OptionCheck = listOf(oneOf(...controllerNames), 'a list of controller names');

/** Checks `controllers`. */
export const controllersChecks: OptionChecks<ControllersOptions> = {
  enable: names,
  disable: names,
  terminatedPodThreshold: aCount('pods'),
  crossNamespaceOwners: oneOf('ignored', 'absent'),
  namespaceDeletionDelay: aDuration,
  orderedNamespaceDeletion: aBoolean,
  leaderElection: either(aBoolean, nested(leaderElectionChecks)),
};

/** Returns what contradicts itself in `controllers`. */
export function contradictionInControllers({
  enable = [],
  disable = [],
  leaderElection = false,
}: ControllersOptions = {}): string | undefined {
  const times = typeof leaderElection === 'boolean' ? undefined : contradictionInTimes(leaderElection);
  if (times !== undefined) return `controllers.leaderElection: ${times}`;
  const both = enable.find((name) => disable.includes(name));
  return both === undefined
    ? undefined
    : `the controller ${both} is in both controllers.enable and controllers.disable; name it in only one of them`;
}
