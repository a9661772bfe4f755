import { createManager, type ControllerRunOptions, type RunnableController } from './manager.js';
import type { Source } from '../runtime/sources.js';
import type { Watched } from '../runtime/watch.js';
import { checkSpec, nameOf, type ControllerSpec } from './spec.js';

/**
 * Returns a controller of the objects of a kind: a value, which runs where a client leads.
 *
 * ```
 * const backups = createController({
 *   kind: Backup,
 *   owns: [Job],
 *   async reconcile(backup, { apply, setStatus }) {
 *     const job = await apply(Job, { metadata: { name: `${backup.metadata.name}-run` }, spec: jobOf(backup) });
 *     await setStatus({ job: job.metadata.name }, condition('Ready', true, 'Scheduled'));
 *   },
 * });
 * await backups.run({ client: await connect(), signal });
 * ```
 *
 * @throws TypeError that names an invalid member
 */
export function createController<
  const Main extends Source,
  const Owns extends readonly Source[] = readonly [],
  const Watches extends readonly Watched[] = readonly [],
>(spec: ControllerSpec<Main, Owns, Watches>): RunnableController;
// The informers deliver the objects of the kinds that the specification names.
export function createController(spec: ControllerSpec): RunnableController {
  checkSpec(spec);
  const controller: RunnableController = Object.freeze({
    name: nameOf(spec),
    spec,
    run: ({ signal, leaderElection, ...options }: ControllerRunOptions) =>
      createManager({ ...options, controllers: [controller] }).run({ signal, leaderElection }),
  });
  return controller;
}
