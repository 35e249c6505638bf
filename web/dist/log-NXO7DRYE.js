import{a,b,c}from"./chunk-JGNYFNSD.js";import"./chunk-YNMCQUN2.js";import"./chunk-I2DI3DXE.js";import"./chunk-PHO2L625.js";import"./chunk-WXQVR26E.js";c();export{a as AuditTabs,b as default};
