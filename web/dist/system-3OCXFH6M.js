import{a,b,c}from"./chunk-VPUWNVTB.js";import"./chunk-XKDNST3B.js";import"./chunk-DYMB5BLE.js";c();export{a as default,b as engine};
