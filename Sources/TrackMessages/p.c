int odograph_TrackMessages;
