import{a,b,c}from"./chunk-E2GHC6DU.js";import"./chunk-DYMB5BLE.js";c();export{b as Push,a as renewPush};
