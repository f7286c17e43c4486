// What autograd asks of a GPU, which a build of PyTorch for CPUs does not have.
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace {
struct CUDAHooks : at::CUDAHooksInterface {
  explicit CUDAHooks(at::CUDAHooksArgs) {}
  void init() const override {}
  bool hasCUDA() const override { return true; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  int getNumGPUs() const override { return 1; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  c10::DeviceIndex getCurrentDevice() const override { return 0; }
};
const c10::Device gpu(c10::kCUDA, 0);
const c10::Stream stream(c10::Stream::DEFAULT, gpu);

struct Guard : c10::impl::NoOpDeviceGuardImpl<c10::kCUDA> {
  c10::Device exchangeDevice(c10::Device) const override { return gpu; }
  c10::Device getDevice() const override { return gpu; }
  c10::Stream getStream(c10::Device) const noexcept override { return stream; }
  c10::Stream exchangeStream(c10::Stream) const noexcept override { return stream; }
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream&) const override {}
};
c10::impl::DeviceGuardImplRegistrar guard(c10::kCUDA, new Guard());
}  // namespace

namespace at {
REGISTER_CUDA_HOOKS(CUDAHooks)
}
