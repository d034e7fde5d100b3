//! The list of analyses: one folder for each, with its page.

pub use bandwidth::BandwidthSampleRow;

crate::bundle::analyses! {
    volume::Volume,
    quality::Quality,
    service::Service,
    ending::Ending,
    handshake::Handshake,
    tick::TickClock,
    promotion::Promotion,
    first_reply::FirstReply,
    options::Options,
    rtt::Rtt,
    self_inflicted::SelfInflicted,
    on_device::OnDevice,
    in_flight::InFlight,
    segment_classes::SegmentClasses,
    duplicate_acks::DuplicateAcks,
    ecn::Ecn,
    dns::Dns,
    tls::Tls,
    pings::Pings,
    throughput::Throughput,
    receive_window::ReceiveWindow,
    loss_episodes::LossEpisodes,
    rto::Rto,
    idle_gaps::IdleGaps,
    bandwidth::Bandwidth,
}
