import type { ApiServerOptions } from '../../apiserver/index.js';
import type { StateHead } from './format.js';

/** The options that decide which kinds and versions a server has. */
type KindOptions = Pick<ApiServerOptions, 'featureGates' | 'runtimeConfig' | 'release'>;

/** Returns the settings of a server in the form in which they are saved. @param dialect its name */
export function settingsOf(
  { featureGates = '', runtimeConfig = '', release }: KindOptions,
  dialect: string,
): Pick<StateHead, 'dialect' | 'featureGates' | 'runtimeConfig' | 'release'> {
  const gates =
    typeof featureGates === 'string'
      ? featureGates
      : Object.entries(featureGates)
          .filter(([, isOn]) => isOn !== undefined)
          .map(([name, isOn]) => `${name}=${isOn}`)
          .join(',');
  return { dialect, featureGates: gates, runtimeConfig, release: release ?? '' };
}
