import { controllerNames, type ControllerName } from './controller-names.js';
import { controllersOffByDefault } from './controller-table.js';

/** A selection of controllers, in the form of the options of `createControllers`. */
export interface ControllerSelection {
  /** Controllers that are off by default and run. */
  readonly enabled: readonly ControllerName[];
  /** Controllers that do not run. */
  readonly disabled: readonly ControllerName[];
}

/**
 * Parses a list of controllers: `name` enables a controller, `-name` disables it, and `*` enables all controllers that
 * are on by default. The first item that names a controller decides. A controller that no item matches does not run.
 *
 * @param text items separated by commas, such as `*,tokencleaner,-serviceaccount`
 * @throws Error when an item names an unknown controller
 */
export function parseControllerList(text: string): ControllerSelection {
  const items = text === '' ? [] : text.split(',');
  for (const item of items) {
    const name = item.startsWith('-') ? item.slice(1) : item;
    if (item !== '*' && !controllerNames.some((known) => known === name))
      throw new Error(`${JSON.stringify(name)} is not in the list of known controllers`);
  }
  const runs = (name: ControllerName): boolean => {
    const item = items.find((candidate) => candidate === name || candidate === `-${name}`);
    return item === undefined ? items.includes('*') && !controllersOffByDefault.includes(name) : item === name;
  };
  return {
    enabled: controllersOffByDefault.filter(runs),
    disabled: controllerNames.filter((name) => !runs(name) && !controllersOffByDefault.includes(name)),
  };
}
