import{a,b,c}from"./chunk-OYTMX3GL.js";import"./chunk-3UTJGTPD.js";import"./chunk-XCG3LK2V.js";import"./chunk-O2OVPS25.js";c();export{a as ClassTabs,b as default};
