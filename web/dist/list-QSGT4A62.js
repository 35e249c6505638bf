import{a,b,c}from"./chunk-HSUL4OAY.js";import"./chunk-SVNWDGCZ.js";import"./chunk-I2DI3DXE.js";import"./chunk-PHO2L625.js";import"./chunk-WXQVR26E.js";c();export{a as GuardianTabs,b as default};
