import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { EditProps } from './edit.js';

/** The editor, which loads when it is opened. */
export function EditTab(props: EditProps) {
  const [Edit, setEdit] = useState<FunctionComponent<EditProps> | undefined>(undefined);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    import('./edit.js').then(
      (loaded) => setEdit(() => loaded.Edit),
      () => setFailed(true),
    );
  }, []);
  if (failed) return <p class="message">The editor could not be loaded: reload the page.</p>;
  return Edit === undefined ? <p class="muted">Loading…</p> : <Edit {...props} />;
}
