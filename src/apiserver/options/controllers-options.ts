import {
  aBoolean,
  aCount,
  aDuration,
  listOf,
  oneOf,
  type Duration,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/index.js';
import { controllerNames, type ControllerName } from '../controllers/controller-table.js';

/** Which controllers run, and how. */
export interface ControllersOptions {
  /** Controllers to run that are off by default: `tokencleaner`, `bootstrapsigner`. */
  readonly enable?: readonly ControllerName[] | undefined;
  /** Controllers that do not run. */
  readonly disable?: readonly ControllerName[] | undefined;
  /**
   * Number of pods that have ended and that the controller `podgc` keeps; the oldest of more are deleted. Default 12500;
   * 0 keeps all.
   */
  readonly terminatedPodThreshold?: number | undefined;
  /**
   * Treatment of a reference to an owner in another namespace. `absent` (default): the owner counts as missing, as in
   * Kubernetes, so that an object without another owner is deleted, and one with another owner loses the reference.
   * `ignored`: the reference has no effect. An Event reports the reference in both cases.
   */
  readonly crossNamespaceOwners?: 'ignored' | 'absent' | undefined;
  /**
   * Time between the deletion of a namespace and the deletion of its content. Servers that share a storage need a few
   * seconds, so that all of them refuse new content before it is listed. Default 0.
   */
  readonly namespaceDeletionDelay?: Duration | undefined;
  /**
   * Deletes the other content of a namespace only after its pods (Kubernetes' feature gate OrderedNamespaceDeletion).
   * Default false.
   */
  readonly orderedNamespaceDeletion?: boolean | undefined;
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
};

/** Returns what contradicts itself in `controllers`. */
export function contradictionInControllers({ enable = [], disable = [] }: ControllersOptions = {}): string | undefined {
  const both = enable.find((name) => disable.includes(name));
  return both === undefined
    ? undefined
    : `the controller ${both} is in both controllers.enable and controllers.disable; name it in only one of them`;
}
