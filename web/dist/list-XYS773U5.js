import{a,b,c}from"./chunk-WV2DXKWC.js";import"./chunk-THKS4AH4.js";import"./chunk-ZLXVW7SY.js";import"./chunk-PE5RQYK2.js";import"./chunk-DYMB5BLE.js";c();export{a as GuardianTabs,b as default};
