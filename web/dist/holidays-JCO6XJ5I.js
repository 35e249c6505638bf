import{a,b,c}from"./chunk-KYXHNBWY.js";import"./chunk-I2DI3DXE.js";import"./chunk-VPW4PLEH.js";import"./chunk-PHO2L625.js";import"./chunk-WXQVR26E.js";c();export{a as CalendarTabs,b as default};
