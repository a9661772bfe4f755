import type { ControllersReport, ReportedController, ReportedFailure, ReportedGroup } from '../../answers.js';
import type { Api } from './api.js';
import { isMap, listOf, textOf } from './guards.js';

/** A controller of a server, with who leads it. */
export interface ShownController extends ReportedController {
  /** In words, who runs it; empty on a server that elects no leaders. */
  readonly leader: string;
  /** Whether its last failure is not over: a run of it waits for another attempt. */
  readonly isFailing: boolean;
}

const COUNTS = ['waiting', 'active', 'retries', 'delayed', 'oldestMs'] as const;

const isFailure = (value: unknown): value is ReportedFailure =>
  isMap(value) &&
  typeof value['time'] === 'number' &&
  typeof value['count'] === 'number' &&
  typeof value['message'] === 'string' &&
  typeof value['object'] === 'string';

const isController = (value: unknown): value is ReportedController =>
  isMap(value) &&
  typeof value['name'] === 'string' &&
  typeof value['group'] === 'string' &&
  (value['state'] === 'runs' || value['state'] === 'elsewhere' || value['state'] === 'waits') &&
  COUNTS.every((name) => typeof value[name] === 'number') &&
  (value['error'] === undefined || isFailure(value['error']));

const isGroup = (value: unknown): value is ReportedGroup =>
  isMap(value) &&
  typeof value['name'] === 'string' &&
  typeof value['leader'] === 'string' &&
  typeof value['leads'] === 'boolean' &&
  (value['error'] === undefined || isFailure(value['error']));

/** Reads what the server knows of its controllers. @throws ApiFailure, such as 403 for a user who may not ask */
export async function readControllers(api: Api, signal: AbortSignal): Promise<ControllersReport> {
  const sent = await api.read<unknown>('ui/v1/controllers', 'application/json', signal);
  const { identity, groups, controllers } = isMap(sent) ? sent : {};
  return {
    identity: textOf(identity) ?? '',
    groups: listOf(groups).filter(isGroup),
    controllers: listOf(controllers).filter(isController),
  };
}

/** Returns controllers with who leads them, those that fail first. */
export function shownControllers({ identity, groups, controllers }: ControllersReport): readonly ShownController[] {
  const led = new Map(groups.map((group) => [group.name, leaderText(group)]));
  const shown = controllers.map((controller) => ({
    ...controller,
    leader: identity === '' ? '' : controller.group === '' ? 'each server' : (led.get(controller.group) ?? 'nobody'),
    isFailing: controller.error !== undefined && controller.retries > 0,
  }));
  return shown.toSorted((a, b) => Number(b.isFailing) - Number(a.isFailing));
}

const leaderText = ({ leader, leads }: ReportedGroup): string =>
  leads ? 'this server' : leader === '' ? 'nobody' : leader;
