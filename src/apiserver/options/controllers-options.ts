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
import { controllerNames, type ControllerName, type ControllerSettings } from '../controllers/controller-table.js';

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
