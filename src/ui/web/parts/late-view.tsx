import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A part of the page that loads when it is first shown. @param load imports it */
export function lateView<Props extends object>(load: () => Promise<FunctionComponent<Props>>) {
  return function LateView(props: Props) {
    const [View, setView] = useState<FunctionComponent<Props> | undefined>(undefined);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      load().then(
        (loaded) => setView(() => loaded),
        () => setFailed(true),
      );
    }, []);
    if (failed) return <p class="message">This part of the page could not be loaded: reload the page.</p>;
    return View === undefined ? <p class="muted">Loading…</p> : <View {...props} />;
  };
}
