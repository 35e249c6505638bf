import{a,b,c}from"./chunk-Y5XI3BVZ.js";import"./chunk-W3MWVUPI.js";import"./chunk-KLW7GCSI.js";import"./chunk-2PX7ZAGL.js";import"./chunk-5H5K2FAG.js";c();export{a as GuardianTabs,b as default};
