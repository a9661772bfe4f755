import { report, type Clock } from '../../foundation/index.js';
import type { StorageDecorator } from '../decorate.js';
import { settingsOf, type ColdSettings, type WatchCacheOptions, type WatchCacheStatus } from './options.js';
import { watchCacheWith } from './watch-cache.js';

/** Options of the watch cache of an engine, which gives it its clock. */
export type EngineWatchCacheOptions = Omit<WatchCacheOptions, 'clock'>;

/**
 * Returns the decorators that an engine's option `watchCache` asks for.
 *
 * @param choice default true
 * @param onError called when the cache stops answering, unless its watch was interrupted: the engine reports that
 * @throws TypeError naming an invalid option of the cache
 */
export function watchCacheDecorators(
  choice: boolean | EngineWatchCacheOptions | undefined,
  { clock, onError }: { readonly clock: Clock; readonly onError: (error: unknown) => void },
): readonly StorageDecorator[] {
  return limitedCacheDecorators(choice, { clock, onError, cold: undefined });
}

/** The parts that an engine gives to its watch cache. */
interface CacheParts {
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Limit of the texts in memory; undefined: all are in memory. */
  readonly cold: ColdSettings | undefined;
}

/** Does the same as {@link watchCacheDecorators}, with a limit of the texts in memory. */
export function limitedCacheDecorators(
  choice: boolean | EngineWatchCacheOptions | undefined,
  { clock, onError, cold }: CacheParts,
): readonly StorageDecorator[] {
  if (choice === false) return [];
  const options = choice === true || choice === undefined ? {} : choice;
  const onStatus = (status: WatchCacheStatus): void => {
    if (status.kind === 'passing' && status.reason !== 'interrupted')
      onError(new Error(`the watch cache does not answer: ${status.message}`));
    report(() => options.onStatus?.(status));
  };
  const decorator = watchCacheWith(settingsOf({ ...options, clock, onStatus }, cold));
  return [decorator];
}
