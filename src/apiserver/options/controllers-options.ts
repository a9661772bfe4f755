import { aCount, listOf, oneOf, type OptionCheck, type OptionChecks } from '../../foundation/index.js';
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
}

const names: OptionCheck = listOf(oneOf(...controllerNames), 'a list of controller names');

/** Checks `controllers`. */
export const controllersChecks: OptionChecks<ControllersOptions> = {
  enable: names,
  disable: names,
  terminatedPodThreshold: aCount('pods'),
};

/** Returns what contradicts itself in `controllers`. */
export function contradictionInControllers({ enable = [], disable = [] }: ControllersOptions = {}): string | undefined {
  const both = enable.find((name) => disable.includes(name));
  return both === undefined
    ? undefined
    : `the controller ${both} is in both controllers.enable and controllers.disable; name it in only one of them`;
}
