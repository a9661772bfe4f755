import { definedOnly } from '../../../foundation/index.js';
import type { ControllersOptions } from '../../../apiserver/index.js';
import type { FlagValues } from '../../flags/flag.js';
import { bool, duration, ifGiven } from '../../flags/kinds.js';

/** The flags of `serve` for the elections between servers that share a store, with the names of Kubernetes. */
export const leaderElectionFlags = {
  'leader-elect': ifGiven({
    ...bool(
      false,
      'Elect, for each group of controllers, the server that runs it (docs/concepts/controllers.md). Default: with --storage etcd or postgres.',
    ),
    shown: '',
  }),
  'leader-elect-lease-duration': ifGiven(
    duration('15s', 'Time without a renewal after which another server takes over.'),
  ),
  'leader-elect-renew-deadline': ifGiven(
    duration('10s', 'Time without a renewal after which a server stops its controllers; less than the lease duration.'),
  ),
  'leader-elect-retry-period': ifGiven(duration('2s', 'Time between two attempts to take over, or to renew.')),
};

/** Returns the option that the flags set. */
export function leaderElectionOf(
  values: FlagValues<typeof leaderElectionFlags>,
): Pick<ControllersOptions, 'leaderElection'> {
  const times = definedOnly({
    leaseDuration: values['leader-elect-lease-duration'],
    renewDeadline: values['leader-elect-renew-deadline'],
    retryPeriod: values['leader-elect-retry-period'],
  });
  const isElected = values['leader-elect'];
  const hasTimes = Object.keys(times).length > 0;
  return isElected === false || !hasTimes ? definedOnly({ leaderElection: isElected }) : { leaderElection: times };
}
